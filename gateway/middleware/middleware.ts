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

/** Runs middleware around a route; the first is the outermost. Never rejects. */
export function runMiddleware(
  use: readonly Middleware[],
  event: FnProxyEvent,
  context: FnContext,
  exchange: Exchange,
  inner: () => Promise<Answer>,
  depth = 0,
): Promise<Answer> {
  const middleware = use[depth];
  if (!middleware) return inner();
  return runOne(middleware, event, context, exchange, () => {
    return runMiddleware(use, event, context, exchange, inner, depth + 1);
  });
}

async function runOne(
  middleware: Middleware,
  event: FnProxyEvent,
  context: FnContext,
  exchange: Exchange,
  inner: () => Promise<Answer>,
): Promise<Answer> {
  let pending: Promise<Answer> | undefined;
  /** The answer inside and its content, once they are there. A middleware may answer without waiting for them. */
  let inside: Answer | undefined;
  let content: unknown;
  const next = () => {
    if (pending) throw new TypeError("Cannot call next() twice: the route has run already");
    return pending = inner().then((answer) => {
      content = answer.content;
      return inside = answer;
    });
  };
  let answer: Answer;
  try {
    const result = await middleware(event, context, next);
    if (result === undefined && !pending) {
      throw new TypeError(
        "Invalid result of a middleware: expected `return await next()` or a reply",
      );
    }
    answer = await answerReply(result === undefined ? await pending : result, exchange);
    checkAnswer(answer);
    if (isStream(answer.content)) {
      answer.content = await exchange.settings.open(answer.content, answer.contentType);
    }
    // The reply of a middleware to an error is what the error became.
    if (inside && answer.error === undefined) answer = withError(answer, inside.error);
  } catch (thrown) {
    answer = answerError(thrown, exchange);
    if (inside && !causesOf(thrown).includes(inside.error)) {
      logAnswer(inside, exchange.settings.clientErrorLevel);
    }
  }
  if (inside) stopUnlessStreamed(content, answer);
  else {pending?.then((late) => { // nobody gets this answer, but its error is logged
      stopUnlessStreamed(late.content, answer);
      logAnswer(late, exchange.settings.clientErrorLevel);
    });}
  return answer;
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
