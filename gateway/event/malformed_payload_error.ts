import { HttpBadRequestError } from "../errors/client_errors.ts";

/**
 * The body of the request is not what it says it is: JSON, in base64 where it is flagged so.
 *
 * The message says where it broke, and never quotes it.
 *
 * @example Saying where the JSON broke
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { FnProxyEvent, MalformedPayloadError } from "@mate/core/gateway";
 *
 * const event = new FnProxyEvent({ body: '{"password": "secret"' });
 * const error = assertThrows(() => event.queryPayload(), MalformedPayloadError);
 * assertEquals(error.status, 400);
 * assertEquals(error.message, "Cannot parse the payload: the JSON ends too early, at line 1, column 22");
 * ```
 */
export class MalformedPayloadError extends HttpBadRequestError {
  static {
    this.prototype.name = "MalformedPayloadError";
  }
}
