import { logger, logInternalError } from "../../logger/mod.ts";
import { type HttpClientError, HttpServerError } from "../errors/http_error.ts";
import type { HttpResponse } from "./http_response.ts";
import { buildHttpResponse, type ResponseOptions } from "./response.ts";

/** The options of {@linkcode buildHttpClientErrorResponse}. */
export interface ErrorResponseOptions extends ResponseOptions<string> {
  /** Whether to log the error, one record; true unless given. */
  readonly log?: boolean | undefined;
}

/** The options of {@linkcode buildHttpServerErrorResponse}. */
export interface ServerErrorResponseOptions extends ErrorResponseOptions {
  /** What the client is told; unless given, that the server failed, and no more. */
  readonly clientMessage?: string | undefined;
}

const CLIENT_MESSAGE = "The server failed to answer this request";

/**
 * Builds the response for an error of the client's: its status, and its message.
 *
 * @param error The error; one of the server's is refused, since its message is not for the client.
 * @param options Those of `buildHttpResponse()`, and whether to log a record of level ERROR with the message
 * and the status.
 * @returns The response.
 * @throws {TypeError} If the error is one of the server's, or an option unfit; see {@linkcode buildHttpResponse}.
 * @throws {RangeError} If the error's status is none.
 *
 * @example Answering a request for what is not there
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { buildHttpClientErrorResponse, HttpNotFoundError } from "@mate/core/gateway";
 *
 * const response = buildHttpClientErrorResponse(new HttpNotFoundError("No such order"), { log: false });
 *
 * assertEquals(response.statusCode, 404);
 * assertEquals(JSON.parse(response.body), { Message: "No such order" });
 * ```
 */
export function buildHttpClientErrorResponse(
  error: HttpClientError,
  options: ErrorResponseOptions = {},
): HttpResponse {
  const message = reportClientError(error, options.log);
  return buildHttpResponse(error.status, message, options);
}

/** Logs an error of the client's, unless told not to; returns what to tell the client. */
export function reportClientError(error: HttpClientError, log = true): string {
  if (error instanceof HttpServerError) {
    throw new TypeError(
      `Cannot build the response: ${error.name} is no error of the client's, and its message not for the client`,
    );
  }
  const { status, message } = error;
  if (log) logger.error(message, { status });
  return message;
}

/**
 * Builds the response for an error of the server's: its status, and nothing else of it.
 *
 * @param error The error.
 * @param options Those of `buildHttpResponse()`, what to tell the client, and whether to log a record of level
 * FATAL with the message, the status, the stack and the whole chain of causes.
 * @returns The response.
 * @throws {TypeError} If an option is unfit; see {@linkcode buildHttpResponse}.
 * @throws {RangeError} If the error's status is none.
 *
 * @example Keeping a failure to oneself
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { buildHttpServerErrorResponse, HttpServiceUnavailableError } from "@mate/core/gateway";
 *
 * const error = new HttpServiceUnavailableError("db-7 is down");
 * const clientMessage = "Please try again in a minute";
 * const response = buildHttpServerErrorResponse(error, { clientMessage, log: false });
 *
 * assertEquals(response.statusCode, 503);
 * assertEquals(JSON.parse(response.body), { Message: "Please try again in a minute" });
 * ```
 */
export function buildHttpServerErrorResponse(
  error: HttpServerError,
  options: ServerErrorResponseOptions = {},
): HttpResponse {
  const message = reportServerError(error, options.clientMessage, options.log);
  return buildHttpResponse(error.status, message, options);
}

/** Logs an error of the server's, unless told not to; returns what to tell the client. */
export function reportServerError(
  error: HttpServerError,
  clientMessage = CLIENT_MESSAGE,
  log = true,
): string {
  if (log) logInternalError(error);
  return clientMessage;
}
