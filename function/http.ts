import { invalid } from "./arguments.ts";

/** Whether a text is a token (RFC 9110 §5.6.2), as names of header fields and methods are. */
export function isToken(text: unknown): boolean {
  return typeof text === "string" && /^[!#$%&'*+.^`|~\w-]+$/.test(text);
}

/** Whether a text can be the value of a header: it has no control character but the tab (RFC 9110 §5.5). */
export function isFieldValue(text: unknown): text is string {
  // deno-lint-ignore no-control-regex -- control characters are meant
  return typeof text === "string" && !/[\0-\x08\x0a-\x1f\x7f]/.test(text);
}

/** Throws if a text cannot be the name of a header. */
export function checkFieldName(name: unknown): void {
  if (!isToken(name)) throw invalid(`header name ${JSON.stringify(name)}`, "a token");
}

/** Throws if a text cannot be the value of the header with this name, or, without a name, a cookie. */
export function checkFieldValue(value: unknown, name?: string): asserts value is string {
  if (isFieldValue(value)) return;
  const what = name === undefined ? "cookie" : `value of the header "${name}"`;
  throw invalid(what, "a string without control characters");
}

/**
 * Makes a function that keeps its results for 100 short texts: those that all messages have, such as names of headers. The
 * result must depend on the text alone.
 */
export function remember<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      result = make(text);
      // Clients cannot make it grow further.
      if (known.size < 100 && text.length < 100) known.set(text, result);
    }
    return result;
  };
}

/**
 * Marks a result that is streamed as an HTTP response.
 *
 * The runtime streams every object that has the members of `HttpStream` of `@mate/core/runtime` and an own property with this
 * registered symbol. So a library can return such a stream without an import:
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
export const HTTP_STREAM: unique symbol = Symbol.for("@mate/core/http-stream/1");

/**
 * The name of the method of a handler by which `@mate/core/web` answers a request in its own way: with another delivery
 * and, if other code guards the handler, with a route that calls that code. It is registered, because a bundle may hold
 * two copies of the library.
 */
export const WEB: unique symbol = Symbol.for("@mate/core/gateway/web/1");
