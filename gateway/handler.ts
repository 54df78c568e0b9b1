import type { FnContext } from "../function/context.ts";
import { currentRequestId, withRequestId } from "../logger/request_id.ts";
import { FnProxyEvent } from "./event/proxy_event.ts";
import type { HandlerSettings } from "./handler_options.ts";
import { runMiddleware } from "./middleware/middleware.ts";
import type { Answer } from "./response/answer.ts";
import { answerError, logAnswer } from "./response/answer_error.ts";
import { type AnswerSettings, EXCHANGE, type Exchange } from "./response/exchange.ts";
import { runRoute } from "./response/route.ts";

/** The work of a handler. */
type Route = (event: FnProxyEvent, context: FnContext, exchange: Exchange) => unknown;

/** The event that a handler makes. It knows its handler, also if a user wraps the functions that it passes through. */
const HandledEvent = /* @__PURE__ */ (() =>
  // so that a bundle without a handler leaves it out
  class extends FnProxyEvent {
    readonly #exchange: Exchange;

    constructor(eventObject: unknown, exchange: Exchange) {
      super(eventObject);
      this.#exchange = exchange;
    }

    [EXCHANGE](): Exchange {
      return this.#exchange;
    }
  })();

/**
 * How a handler sends its answers.
 *
 * @typeParam Response The form of its responses.
 */
export interface Delivery<Response> extends Pick<AnswerSettings, "open"> {
  /** Makes the response of an answer. */
  readonly send: (answer: Answer, event: FnProxyEvent | undefined) => Promise<Response>;
}

/**
 * Makes a handler of a route and of options that are checked.
 *
 * @returns The handler. It never rejects.
 */
export function makeHandler<Response>(
  route: Route,
  { use, ...given }: HandlerSettings,
  { open, send }: Delivery<Response>,
): (eventObject: unknown, context: FnContext) => Promise<Response> {
  const settings: AnswerSettings = { ...given, open };

  async function answerEvent(eventObject: unknown, context: FnContext): Promise<Response> {
    const exchange: Exchange = { settings };
    let answer: Answer;
    try {
      const event = exchange.event = new HandledEvent(eventObject, exchange);
      const inner = () => runRoute(() => route(event, context, exchange), event, context, exchange);
      answer = await runMiddleware(use, event, context, exchange, inner);
    } catch (thrown) { // the event is not an object
      answer = answerError(thrown, exchange);
    }
    try {
      return await send(answer, exchange.event);
    } catch (thrown) { // the request has a malformed Accept-Encoding
      logAnswer(answer, settings.clientErrorLevel);
      answer = answerError(thrown, exchange);
      return await send(answer, exchange.event);
    } finally {
      logAnswer(answer, settings.clientErrorLevel);
    }
  }

  return (eventObject, context) => inScope(context, () => answerEvent(eventObject, context));
}

/** Runs a function in the scope of a request id, if the context has one. */
export function inScope<Result>(
  context: FnContext | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  const requestId = requestIdOf(context);
  // The runtime may have opened the scope already.
  if (requestId === "" || requestId === currentRequestId()) return run();
  return withRequestId(requestId, run);
}

function requestIdOf(context: FnContext | undefined): string {
  try {
    const requestId: unknown = context?.awsRequestId;
    return typeof requestId === "string" ? requestId : "";
  } catch {
    return ""; // a context of other code, whose getter throws
  }
}
