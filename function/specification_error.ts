/**
 * The event does not match the specification of its AWS service: a key is absent, or its value or one of its
 * parents is null or of another type than the documentation of the service says.
 *
 * @example Reading which key failed
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
  /** The dotted key that failed, the shortest that did: `requestContext.identity.sourceIp`, `Records[0].s3`. */
  readonly path: string;

  /**
   * Makes the error for one key.
   *
   * @param path The dotted key that failed.
   * @param problem The end of the sentence that starts with the key, such as `is absent`.
   * @param options The `cause`, if another error led to this one.
   */
  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`Cannot read the event: "${path}" ${problem}`, options);
    this.path = path;
    // The name survives minification. It is not enumerable, so that the log does not show it twice.
    Object.defineProperty(this, "name", { value: "CloudEventSpecificationError", writable: true });
  }
}
