/** What a stream may bring: bytes as they are, text as UTF-8. */
export type StreamChunk = Uint8Array | string;

/** A body that is sent while it is made: a web stream or what an async generator returns. */
export type StreamBody = ReadableStream<StreamChunk> | AsyncIterable<StreamChunk>;

/** What stands before the body of an HTTP response that is streamed. */
export interface HttpPrelude {
  /** The status code: 200 to 599; 200 without. */
  readonly statusCode?: number | undefined;
  /** The fields. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The values of `Set-Cookie`, one each. */
  readonly cookies?: readonly string[] | undefined;
}

/** A body and the prelude of its HTTP response; {@linkcode httpStream} makes it. */
export interface HttpStream {
  /** The prelude. */
  readonly prelude: HttpPrelude;
  /** The body. */
  readonly body: StreamBody;
}

// A function and the runtime that loads it are bundled apart, so that a class would exist twice.
const HTTP_STREAM = Symbol.for("@mate/core/runtime/http-stream/1");

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
// deno-lint-ignore no-control-regex -- these are what a field may not hold (RFC 9110 §5.5)
const FORBIDDEN = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * Makes a handler's result that is streamed as an HTTP response, with status, fields and cookies, by a function URL
 * whose invoke mode is `RESPONSE_STREAM`.
 *
 * @param prelude The status, the fields and the cookies.
 * @param body What follows them.
 * @returns What the handler returns to the runtime's loop.
 * @throws {TypeError} If the status is no integer from 200 to 599, a field's name or value or a cookie is malformed
 * (RFC 9110 §5), or the body is no stream.
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
    throw new TypeError(`Cannot stream a response: ${statusCode} is no status from 200 to 599`);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) {
      throw new TypeError(`Cannot stream a response: ${JSON.stringify(name)} is no field name`);
    }
    checkValue(`the field "${name}"`, value);
  }
  for (const cookie of cookies) checkValue("a cookie", cookie);
  if (!isStream(body)) throw new TypeError("Cannot stream a response: the body is no stream");
  const result = { prelude: { statusCode, headers, cookies }, body };
  Object.defineProperty(result, HTTP_STREAM, { value: true });
  return result;
}

function checkValue(name: string, value: unknown): void {
  if (typeof value === "string" && !FORBIDDEN.test(value)) return;
  const quoted = typeof value === "string" ? JSON.stringify(value) : `of type ${typeof value}`;
  throw new TypeError(`Cannot stream a response: ${name} cannot be ${quoted}`);
}

/** Whether a handler's result is streamed. */
export function isStream(value: unknown): value is StreamBody {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Whether a handler's result is streamed as an HTTP response. */
export function isHttpStream(value: unknown): value is HttpStream {
  return typeof value === "object" && value !== null && Object.hasOwn(value, HTTP_STREAM);
}
