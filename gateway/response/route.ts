import type { FnContext } from "../../function/context.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import type { Answer } from "./answer.ts";
import { answerError } from "./answer_error.ts";
import { answerReply } from "./answer_reply.ts";
import type { Exchange } from "./exchange.ts";

/**
 * The return value of a route: a payload, nothing, a `reply()`, a standard `Response`, bytes, a stream, or a response
 * that `buildHttpResponse()` or `asResponse()` made.
 */
export type ProxyResult = string | number | boolean | object | null | undefined | void;

/**
 * The work of a handler of HTTP requests.
 *
 * @typeParam Result The type of the return value.
 * @param event The request.
 * @param context The facts of the platform about the invocation; absent if the caller of the handler gave none.
 */
export type ProxyRoute<Result extends ProxyResult = ProxyResult> = (
  event: FnProxyEvent,
  context: FnContext,
) => Result | Promise<Result>;

/** Runs a route. Never rejects: a thrown value is answered. */
export async function runRoute(
  route: (event: FnProxyEvent, context: FnContext) => unknown,
  event: FnProxyEvent,
  context: FnContext,
  exchange: Exchange,
): Promise<Answer> {
  try {
    return await answerReply(await route(event, context), exchange);
  } catch (thrown) {
    return answerError(thrown, exchange);
  }
}
