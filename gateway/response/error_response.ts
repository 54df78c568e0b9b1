import { logInternalError } from "../../logger/record.ts";
import type { HttpClientError, HttpError, HttpServerError } from "../errors/http_error.ts";
import { errorPayload, logError } from "./answer_error.ts";
import { readHeaders } from "./headers.ts";
import type { HttpResponse } from "./http_response.ts";
import { buildWithHeaders, type ResponseOptions } from "./response.ts";
import { type SimpleMessage, simpleMessage } from "./transformer.ts";

/** The options of {@linkcode buildHttpClientErrorResponse}. */
export interface ErrorResponseOptions extends ResponseOptions<string> {
  /** Whether to log the error as one record; true unless given. */
  readonly log?: boolean | undefined;
}

/** The options of {@linkcode buildHttpServerErrorResponse}. */
export interface ServerErrorResponseOptions extends ErrorResponseOptions {
  /** The message for the client; unless given, a message that says only that the server failed. */
  readonly clientMessage?: string | undefined;
}

/** The message for the client unless another is given. */
export const CLIENT_MESSAGE = "The server failed to answer this request";

/**
 * Builds the response to a mistake of the client: status, message, headers and details of the error.
 *
 * @param error The error.
 * @param options The options of `buildHttpResponse()`, and whether to log a record of level ERROR with the message
 * and the status.
 * @returns The response.
 * @throws {TypeError} If the status is 500 or above, because the message of a server error is not for the client; or
 * if an option is invalid, see {@linkcode buildHttpResponse}.
 * @throws {RangeError} If the status of the error is not a whole number from 100 to 599.
 *
 * @example Answering a request for a missing order
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
  const { status, name } = error;
  if (status >= 500) {
    throw new TypeError(
      `Cannot build the response: status ${status} of ${name} is not a client error, so its message is not for the client`,
    );
  }
  logError(error, status, options.log === false ? "off" : "error");
  return buildErrorResponse(error, errorPayload(error, CLIENT_MESSAGE), options);
}

/**
 * Builds the response to a failure of the server: status and headers of the error, but not its message.
 *
 * @param error The error.
 * @param options The options of `buildHttpResponse()`, the message for the client, and whether to log a record of
 * level FATAL with the message, the status, the stack and the whole chain of causes.
 * @returns The response.
 * @throws {TypeError} If an option is invalid; see {@linkcode buildHttpResponse}.
 * @throws {RangeError} If the status of the error is not a whole number from 100 to 599.
 *
 * @example Hiding a failure from the client
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { buildHttpServerErrorResponse, HttpServiceUnavailableError } from "@mate/core/gateway";
 *
 * const error = new HttpServiceUnavailableError("db-7 is down", { headers: { "Retry-After": "60" } });
 * const clientMessage = "Please try again in a minute";
 * const response = buildHttpServerErrorResponse(error, { clientMessage, log: false });
 *
 * assertEquals([response.statusCode, response.headers["Retry-After"]], [503, "60"]);
 * assertEquals(JSON.parse(response.body), { Message: "Please try again in a minute" });
 * ```
 */
export function buildHttpServerErrorResponse(
  error: HttpServerError,
  options: ServerErrorResponseOptions = {},
): HttpResponse {
  if (options.log !== false) logInternalError(error);
  return buildErrorResponse(error, simpleMessage(options.clientMessage ?? CLIENT_MESSAGE), options);
}

function buildErrorResponse(
  error: HttpError,
  payload: SimpleMessage,
  options: ErrorResponseOptions,
): HttpResponse {
  const given = options as ResponseOptions<SimpleMessage>;
  return buildWithHeaders(error.status, payload, given, readHeaders(error.headers), error);
}
