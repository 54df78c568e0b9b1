/** The options of the errors. */
export interface HttpErrorOptions extends ErrorOptions {
  /** Header fields of the response, such as `WWW-Authenticate`; an array makes several fields of one name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** A JSON object for the client: the member `Details` of the response. The details of a server error are not sent. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

// A registered symbol: a bundle may hold two copies of the library, and a class of one is unknown to the other.
const KIND = Symbol.for("@mate/core/gateway/http-error/1");

/**
 * An error with an HTTP status: the base class of all errors that a route throws to answer with a status.
 *
 * @example Reading the status of an error
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpError, HttpNotFoundError } from "@mate/core/gateway";
 *
 * const error: unknown = new HttpNotFoundError("No such order");
 * assertEquals(error instanceof HttpError && error.status, 404);
 * ```
 */
export class HttpError extends Error {
  /** The status code of the response (RFC 9110 §15); not checked. */
  readonly status: number;
  /** Header fields of the response; absent if the error was made without them. */
  declare readonly headers?: HttpErrorOptions["headers"];
  /** A JSON object for the client; absent if the error was made without it. */
  declare readonly details?: HttpErrorOptions["details"];

  /**
   * Makes the error.
   *
   * @param status The status code of the response (RFC 9110 §15); not checked.
   * @param message The description of the problem.
   * @param options The `cause`, further `headers` of the response, and `details` for the client.
   */
  constructor(status: number, message: string, options?: HttpErrorOptions) {
    setName(HttpError, "HttpError", "any");
    super(message, options);
    this.status = status;
    if (options?.headers) this.headers = options.headers;
    if (options?.details) this.details = options.details;
  }
}

/**
 * The client made a mistake, status 4xx (RFC 9110 §15.5). The client reads the message and the details.
 *
 * @example A status without a class of its own, with a header
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpClientError } from "@mate/core/gateway";
 *
 * const error = new HttpClientError(418, "I am a teapot", { headers: { "Retry-After": "120" } });
 * assertEquals(`${error.name} ${error.status}: ${error.message}`, "HttpClientError 418: I am a teapot");
 * ```
 */
export class HttpClientError extends HttpError {
  /**
   * Makes the error.
   *
   * @param status The status code of the response (RFC 9110 §15.5); not checked.
   * @param message The description of the problem, for the client.
   * @param options The `cause`, further `headers` of the response, and `details` for the client.
   */
  constructor(status: number, message: string, options?: HttpErrorOptions) {
    setName(HttpClientError, "HttpClientError", "client");
    super(status, message, options);
  }
}

/**
 * The server failed, status 5xx (RFC 9110 §15.6). Message and details are for the log; the client never sees them.
 *
 * @example Keeping the cause for the log
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HttpServerError } from "@mate/core/gateway";
 *
 * const cause = new Error("connection refused");
 * const error = new HttpServerError(500, "Cannot read the order", { cause });
 * assertEquals(error.cause, cause);
 * ```
 */
export class HttpServerError extends HttpError {
  /**
   * Makes the error.
   *
   * @param status The status code of the response (RFC 9110 §15.6); not checked.
   * @param message The description of the problem, for the log.
   * @param options The `cause`, further `headers` of the response, and `details` for the log.
   */
  constructor(status: number, message: string, options?: HttpErrorOptions) {
    setName(HttpServerError, "HttpServerError", "server");
    super(status, message, options);
  }
}

/** Whether a value is an `HttpError`, of this copy of the library or another. */
export function isHttpError(error: unknown): error is HttpError {
  return errorKind(error) !== undefined;
}

/** Whether a thrown value is an `HttpClientError`, of this copy of the library or another. */
export function isClientError(error: unknown): error is HttpClientError {
  return errorKind(error) === "client";
}

/** Whether a thrown value is an `HttpServerError`, of this copy of the library or another. */
export function isServerError(error: unknown): error is HttpServerError {
  return errorKind(error) === "server";
}

function errorKind(error: unknown): unknown {
  try {
    return (error as Record<symbol, unknown> | null | undefined)?.[KIND];
  } catch {
    return undefined; // a revoked proxy
  }
}

/**
 * Gives the errors of a class their name, and their kind if the base class has another kind. A minifier renames classes,
 * and a `static` block would keep every class in every bundle. So each constructor says its name, before `super()`,
 * because the engine writes the name into the stack.
 */
export function setName(
  { prototype }: { readonly prototype: Error },
  name: string,
  kind?: "any" | "client" | "server",
): void {
  if (Object.hasOwn(prototype, "name")) return;
  Object.defineProperty(prototype, "name", { value: name, configurable: true, writable: true });
  if (kind) Object.defineProperty(prototype, KIND, { value: kind });
}
