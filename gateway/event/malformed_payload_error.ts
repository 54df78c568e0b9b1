import { HttpBadRequestError } from "../errors/client_errors.ts";
import { type HttpErrorOptions, setName } from "../errors/http_error.ts";

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
  /** Makes the error. Without a `message`, the message is "Bad Request". */
  constructor(message?: string, options?: HttpErrorOptions) {
    super(message, options);
    setName(this, "MalformedPayloadError");
  }
}
