import { invalid } from "../../function/read.ts";
import type { FnContext } from "../../function/context.ts";
import { readProperty } from "../../logger/text.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { type Answer, checkAnswer } from "../response/answer.ts";
import { answerError, logAnswer, withError } from "../response/answer_error.ts";
import { answerReply } from "../response/answer_reply.ts";
import type { Exchange } from "../response/exchange.ts";
import type { ProxyResult } from "../response/route.ts";
import { isStream, stopStream } from "../response/stream_body.ts";

/**
 * Code around a route: it runs before the route, after the route, or in place of the route.
 *
 * @param event The request.
 * @param context The facts of the platform about the invocation; absent if the caller of the handler gave none.
 * @param next Runs everything inside, and gives its answer. It never rejects: an error arrives as an answer with `error`.
 * @returns The answer of `next()`, anything that a route may return, or nothing after `next()`.
 *
 * @example Measure a route
 * ```ts
 * import { assert } from "@std/assert";
 * import { type Middleware, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const timing: Middleware = async (_event, _context, next) => {
 *   const start = performance.now();
 *   const answer = await next();
 *   answer.headers.set("Server-Timing", `route;dur=${performance.now() - start}`);
 *   return answer;
 * };
 *
 * const handler = proxyHandler(() => ({ soup: 9.5 }), { use: [timing] });
 * const { headers } = await call(handler, { url: "/" });
 * assert(headers.get("Server-Timing")?.startsWith("route;dur="));
 * ```
 */
export type Middleware = (
  event: FnProxyEvent,
  context: FnContext,
  next: () => Promise<Answer>,
) => Answer | ProxyResult | void | Promise<Answer | ProxyResult | void>;

/** Runs everything inside. `arrive` is called with the answer before the promise settles, which saves a turn. */
type Inner = (arrive?: (answer: Answer) => void) => Promise<Answer>;

/** Runs middleware around a route; the first is the outermost. Never rejects. */
export async function runMiddleware(
  use: readonly Middleware[],
  event: FnProxyEvent,
  context: FnContext,
  exchange: Exchange,
  inner: Inner,
  depth = 0,
  arrive?: (answer: Answer) => void,
): Promise<Answer> {
  let pending: Promise<Answer> | undefined;
  /** The answer inside and its content, once they are there. A middleware may answer without waiting for them. */
  let inside: Answer | undefined;
  let content: unknown;
  const keep = (answer: Answer) => {
    inside = answer;
    content = answer.content;
  };
  const next = () => {
    if (pending) throw new TypeError("Cannot call next() twice");
    return pending = depth + 1 < use.length
      ? runMiddleware(use, event, context, exchange, inner, depth + 1, keep)
      : inner(keep);
  };
  let answer: Answer;
  try {
    const result = await use[depth]!(event, context, next);
    if (result === undefined && !pending) {
      throw invalid("result of a middleware", "`return await next()` or a reply");
    }
    const made = answerReply(result === undefined ? await pending : result, exchange);
    answer = made instanceof Promise ? await made : made;
    checkAnswer(answer);
    if (isStream(answer.content)) {
      answer.content = await exchange.settings.open(answer.content, answer.contentType);
    }
    // The reply of a middleware to an error is what the error became.
    if (inside && answer.error === undefined) answer = withError(answer, errorOf(inside));
  } catch (thrown) {
    answer = answerError(thrown, exchange);
    if (inside && !causesOf(thrown).includes(errorOf(inside))) {
      logAnswer(inside, exchange.settings.clientErrorLevel);
    }
  }
  if (inside) stopUnlessStreamed(content, answer);
  else if (pending) discard(pending, answer, exchange);
  arrive?.(answer);
  return answer;
}

/** The error of an answer. TypeScript does not see that a closure assigns the answer. */
function errorOf(answer: Answer): unknown {
  return answer.error;
}

/** Nobody gets an answer that comes too late, but its error is logged. */
async function discard(
  pending: Promise<Answer>,
  answer: Answer,
  { settings }: Exchange,
): Promise<void> {
  const late = await pending;
  stopUnlessStreamed(late.content, answer);
  logAnswer(late, settings.clientErrorLevel);
}

/** Tells a content to stop, unless the answer may be made of it. */
function stopUnlessStreamed(content: unknown, answer: Answer): void {
  if (isStream(content) && !isStream(answer.content)) stopStream(content);
}

/** A thrown value and its causes. */
function causesOf(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let cause = thrown; cause !== undefined && causes.length < 100;) {
    causes.push(cause);
    cause = readProperty(cause as object, "cause");
  }
  return causes;
}
