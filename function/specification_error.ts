/**
 * The event is not what the platform specifies: a key is absent, or its value, or one of its parents,
 * is null or of another type than the platform's documentation says.
 *
 * @example Telling which key failed
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { CloudEventSpecificationError } from "@mate/core/function";
 * import { FnProxyEvent } from "@mate/core/gateway";
 *
 * const event = new FnProxyEvent({ requestContext: { identity: null } });
 * const error = assertThrows(() => event.sourceIp(), CloudEventSpecificationError);
 * assertEquals(error.path, "requestContext.identity");
 * ```
 */
export class CloudEventSpecificationError extends Error {
  static {
    this.prototype.name = "CloudEventSpecificationError"; // survives minification
  }

  /** The dotted key that failed, the shortest that did, such as `requestContext.identity.sourceIp` or `Records[0].s3`. */
  readonly path: string;

  /**
   * Makes the error for one key.
   *
   * @param path The dotted key that failed.
   * @param problem What is wrong with it, as the end of a sentence that starts with the key: `is absent`.
   * @param options The `cause`, where another error led to this one.
   */
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`Cannot read the event: "${path}" ${problem}`, options);
    this.path = path;
  }
}
