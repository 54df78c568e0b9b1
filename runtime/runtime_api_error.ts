/**
 * The Runtime API of AWS Lambda cannot be reached, sends a malformed response, or refuses a request that the loop needs.
 *
 * @example Tell a refusal from a lost connection
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { RuntimeApiError } from "@mate/core/runtime";
 *
 * const error = new RuntimeApiError("Cannot fetch the next invocation: status 403", { status: 403 });
 * assertEquals(error.status, 403);
 * assertEquals(new RuntimeApiError("Cannot reach the Runtime API").status, undefined);
 * ```
 */
export class RuntimeApiError extends Error {
  /** The status of the Runtime API's answer. It is `undefined` if no answer came. */
  declare readonly status: number | undefined;

  /**
   * Makes the error.
   *
   * @param message The action that failed, and the reason.
   * @param options The `status` of the answer and the `cause`, if there are any.
   */
  constructor(message: string, options?: ErrorOptions & { status?: number }) {
    super(message, options);
    this.name = "RuntimeApiError"; // the name survives minification
    const status = options?.status;
    if (status !== undefined) this.status = status; // the log shows only properties that exist
  }
}
