import { HttpBadRequestError } from "../errors/client_errors.ts";
import { type HttpErrorOptions, setName } from "../errors/http_error.ts";

/**
 * 400 Bad Request: the body of the request is not what the request says: JSON, base64, UTF-8 or a form.
 *
 * The message says where the body broke if the engine knows the place, and never quotes the body.
 *
 * @example The place where the JSON broke
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { FnProxyEvent, MalformedPayloadError } from "@mate/core/gateway";
 * import { proxyEvent } from "@mate/core/testing";
 *
 * const request = { method: "POST", url: "/login", body: '{"password": "secret"' };
 * const event = new FnProxyEvent(await proxyEvent(request));
 * const error = assertThrows(() => event.queryPayload(), MalformedPayloadError);
 * assertEquals(error.status, 400);
 * assertEquals(error.message.includes("secret"), false);
 * ```
 */
export class MalformedPayloadError extends HttpBadRequestError {
  /** Makes the error. Without a `message`, the message is "Bad Request". */
  constructor(message?: string, options?: HttpErrorOptions) {
    setName(MalformedPayloadError, "MalformedPayloadError");
    super(message, options);
  }
}
