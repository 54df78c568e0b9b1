/** A chunk of a stream: bytes, or text that is sent as UTF-8. */
export type StreamChunk = Uint8Array | string;

/** A body that is sent while it is made: a web stream, or the result of an async generator. */
export type StreamBody = ReadableStream<StreamChunk> | AsyncIterable<StreamChunk>;

/** The status, header fields and cookies of a streamed HTTP response. */
export interface HttpPrelude {
  /** The status code from 200 to 599. The default is 200. */
  readonly statusCode?: number | undefined;
  /** The header fields. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The values of `Set-Cookie`, one string for each cookie. */
  readonly cookies?: readonly string[] | undefined;
}

/** A streamed HTTP response. {@linkcode httpStream} makes it. */
export interface HttpStream {
  /** The status, header fields and cookies. */
  readonly prelude: HttpPrelude;
  /** The body. */
  readonly body: StreamBody;
}

/**
 * Marks a result that is streamed as an HTTP response.
 *
 * The runtime streams every object that has the members of {@linkcode HttpStream} and an own property with this
 * registered symbol. So a library can return such a stream without an import of this module:
 *
 * ```ts ignore
 * return { [Symbol.for("@mate/core/http-stream/1")]: true, prelude: { statusCode, headers, cookies }, body };
 * ```
 *
 * - The runtime sends `prelude` as JSON and does not check it.
 * - The runtime pulls the first chunk before it sends anything. If the body fails before that chunk, the invocation
 *   fails as if the handler had thrown.
 * - The runtime pulls a chunk only after the previous chunk was written, so a slow reader slows the body down.
 * - If the body fails later, the runtime logs the error and sends it in the trailers. The body must not log the error.
 * - If the client stops reading, the runtime calls `return()` of the body's iterator.
 */
const HTTP_STREAM = Symbol.for("@mate/core/http-stream/1");

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
// deno-lint-ignore no-control-regex -- a field must not contain these (RFC 9110 §5.5)
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Makes a result that a handler returns to stream an HTTP response with status, header fields and cookies. The
 * response is streamed by a function URL whose invoke mode is `RESPONSE_STREAM` and by an API Gateway REST API whose
 * response transfer mode is `STREAM`.
 *
 * @param prelude The status, the header fields and the cookies.
 * @param body The body.
 * @returns The result for the runtime.
 * @throws {TypeError} If the status is not an integer from 200 to 599, if a field's name or value or a cookie is
 * malformed (RFC 9110 §5), or if the body is not a stream.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
 *
 * @example A page in pieces
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { httpStream } from "@mate/core/runtime";
 *
 * async function* rows() {
 *   for (const row of ["a", "b"]) yield await Promise.resolve(`${row}\n`);
 * }
 * const handler = () => httpStream({ headers: { "Content-Type": "text/plain" } }, rows());
 *
 * assertEquals(await Array.fromAsync(handler().body), ["a\n", "b\n"]);
 * ```
 */
export function httpStream(prelude: HttpPrelude, body: StreamBody): HttpStream {
  const { statusCode = 200, headers = {}, cookies = [] } = prelude;
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) {
    throw new TypeError(`Invalid status ${statusCode}: expected an integer from 200 to 599`);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) {
      throw new TypeError(`Invalid header name ${JSON.stringify(name)}: expected a token`);
    }
    checkValue(`value of the header "${name}"`, value);
  }
  for (const cookie of cookies) checkValue("cookie", cookie);
  if (!isStream(body)) {
    throw new TypeError("Invalid body: expected a ReadableStream or an async iterable");
  }
  const result = { prelude: { statusCode, headers, cookies }, body };
  Object.defineProperty(result, HTTP_STREAM, { value: true });
  return result;
}

function checkValue(name: string, value: unknown): void {
  if (typeof value === "string" && !FORBIDDEN.test(value)) return;
  const got = typeof value === "string" ? JSON.stringify(value) : typeof value;
  throw new TypeError(
    `Invalid ${name}: expected a string without control characters, got ${got}`,
  );
}

/** Tells whether a handler's result is streamed. */
export function isStream(value: unknown): value is StreamBody {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Tells whether a handler's result is streamed as an HTTP response. */
export function isHttpStream(value: unknown): value is HttpStream {
  return typeof value === "object" && value !== null && Object.hasOwn(value, HTTP_STREAM);
}
