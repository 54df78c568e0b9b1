import type { FnContext } from "../function/context.ts";
import { isError } from "../logger/error.ts";
import { logInternalError } from "../logger/record.ts";
import { currentRequestId, withRequestId } from "../logger/request_id.ts";
import { readProperty, textOf } from "../logger/text.ts";
import { type HttpError, isClientError, isHttpError, isServerError } from "./errors/http_error.ts";
import { HttpInternalServerError } from "./errors/server_errors.ts";
import { FnProxyEvent } from "./event/proxy_event.ts";
import type { CheckedOptions } from "./handler_options.ts";
import { type Answer, answerPayload } from "./response/answer.ts";
import { requireType } from "./response/content_type.ts";
import { corsFields, preflightMethod } from "./response/cors.ts";
import { logError, reportClientError } from "./response/error_response.ts";
import { finishContent, finishStream } from "./response/finish.ts";
import { answerBuilt, formResponse, formStream } from "./response/form.ts";
import { addFields, type HeaderMap, readHeaders } from "./response/headers.ts";
import { type HttpResponse, isBuilt } from "./response/http_response.ts";
import { answerResult, type Content } from "./response/result.ts";
import {
  findAwsLambda,
  isStreaming,
  oneChunk,
  type StreamedResponse,
  writeResponse,
} from "./response/stream_response.ts";
import { menus } from "./response/response.ts";

/**
 * A handler of HTTP requests, as the platform calls it. It never rejects.
 *
 * @param event The event of the gateway.
 * @param context The facts of the platform about the invocation.
 */
export type ProxyHandler = (event: unknown, context?: FnContext) => Promise<HttpResponse>;

/**
 * A handler of HTTP requests that streams its responses, as the platform calls it. It never rejects before the first
 * byte.
 *
 * @param event The event of the gateway.
 * @param context The facts of the platform about the invocation.
 */
export type StreamHandler = (event: unknown, context?: FnContext) => Promise<StreamedResponse>;

/** The work of a handler. */
export type Work = (event: FnProxyEvent, context: FnContext) => unknown;

type Sent = HttpResponse | StreamedResponse;

/** A request on its way to a response. */
interface Exchange {
  readonly options: CheckedOptions;
  readonly context: FnContext;
  event?: FnProxyEvent;
  /** The type that was negotiated before the work. */
  type?: string;
  /** The header fields of the handler for this request. */
  extra: HeaderMap;
}

/** Makes a handler of work and options that are checked. */
export function makeHandler(
  work: Work,
  options: CheckedOptions,
): ProxyHandler & StreamHandler {
  const answer = (eventObject: unknown, context: FnContext) =>
    answerRequest(eventObject, work, { options, context, extra: new Map() });
  const handler = (eventObject: unknown, context: FnContext) =>
    inScope(context, () => answer(eventObject, context));
  const platform = options.stream ? findAwsLambda() : undefined;
  // The managed Node.js runtime calls a handler with a stream only if the handler is marked.
  const marked = platform?.streamifyResponse((eventObject, stream, context: FnContext) =>
    inScope(context, async () => {
      const response = await answer(eventObject, context);
      await writeResponse(platform, stream, response as StreamedResponse);
    })
  );
  return (marked ?? handler) as ProxyHandler & StreamHandler;
}

/** Runs a function in the scope of a request id, if the context has one. */
function inScope<Result>(
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

async function answerRequest(
  eventObject: unknown,
  work: Work,
  exchange: Exchange,
): Promise<Sent> {
  const { context, options } = exchange;
  const { extraHeaders, cors, offered } = options;
  try {
    if (typeof extraHeaders !== "function") exchange.extra = extraHeaders;
    const event = exchange.event = new FnProxyEvent(eventObject);
    if (cors) exchange.extra = addFields(corsFields(cors, event), exchange.extra);
    if (typeof extraHeaders === "function") {
      exchange.extra = addFields(readHeaders(extraHeaders(event, context)), exchange.extra);
    }
    if (cors && preflightMethod(event)) return await sendResult(undefined, exchange);
    if (options.hasOwnMenus) menus.set(event, options);
    if (offered) exchange.type = requireType(event, offered);
    const result = await work(event, context);
    if (result instanceof Error || isHttpError(result)) throw result; // whoever returns an error means to throw it
    return await sendResult(result, exchange);
  } catch (error) {
    return await answerThrown(error, exchange);
  }
}

function sendResult(result: unknown, exchange: Exchange): Sent | Promise<Sent> {
  const { extra, options: { payloads, stream } } = exchange;
  if (!isBuilt(result)) return send(answerResult(result, payloads, extra, exchange), exchange);
  if (extra.size === 0 && !stream) return result;
  const answer = answerBuilt(result);
  addFields(answer.fields, extra);
  return deliver(answer, exchange);
}

async function send(answer: Answer<Content>, exchange: Exchange): Promise<Sent> {
  const { event, options } = exchange;
  const { status, fields, content } = answer;
  if (options.stream && isStreaming(content)) {
    const body = await finishStream({ ...answer, content }, options, event);
    return formStream(status, fields, body);
  }
  return deliver(await finishContent(answer, options, event), exchange);
}

function deliver(answer: Answer, { event, options }: Exchange): Sent {
  const { status, fields, content } = answer;
  return options.stream
    ? formStream(status, fields, oneChunk(content))
    : formResponse(answer, event);
}

/** Answers a thrown value as `onError` says. Never rejects. */
async function answerThrown(thrown: unknown, exchange: Exchange): Promise<Sent> {
  const { event, context, extra, options } = exchange;
  const { onError, clientErrorLevel, clientMessage, errors } = options;
  let error = toHttpError(thrown);
  try {
    const result = await onError?.(thrown, event, context);
    if (isHttpError(result)) error = result;
    else if (result !== undefined) {
      const response = await sendResult(result, exchange);
      const { statusCode } = "prelude" in response ? response.prelude : response;
      if (statusCode >= 400) logError(error, statusCode, clientErrorLevel);
      return response;
    }
  } catch (cause) {
    logInternalError(error);
    error = internalError("Cannot build the response of onError", cause);
  }
  try {
    return await answerError(error, exchange);
  } catch (cause) { // a transformer that throws at every payload, an error with an invalid status
    logInternalError(internalError("Cannot build the response to an error", cause));
    return deliver(answerPayload(500, clientMessage, errors.refusal, extra, {}), exchange);
  }
}

async function answerError(error: HttpError, exchange: Exchange): Promise<Sent> {
  const { event, extra, options: { clientMessage, clientErrorLevel, errors } } = exchange;
  const isFailure = isServerError(error);
  if (isFailure) logInternalError(error);
  const payload = isFailure ? clientMessage : reportClientError(error, clientErrorLevel);
  const fields = addFields(readHeaders(error.headers), extra);
  const answer = answerPayload(error.status, payload, errors, fields, { event, error });
  return await send(answer, exchange);
}

/** The error that a thrown value is answered as. The message of a foreign error is not for the client. */
function toHttpError(thrown: unknown): HttpError {
  if (isServerError(thrown) || (isClientError(thrown) && thrown.status < 500)) return thrown;
  const message = isError(thrown) ? textOf(readProperty(thrown, "message")) : undefined;
  return internalError(message, thrown);
}

/** Makes the error that stands for a failure of other code. It has no frames: all of them would be the library's own. */
function internalError(message: string | undefined, cause: unknown): HttpError {
  const error = new HttpInternalServerError(message, { cause });
  error.stack = String(error);
  return error;
}
