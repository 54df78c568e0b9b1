/**
 * The Runtime API cannot be reached, breaks HTTP, or refuses what the loop cannot go on without.
 *
 * @example Telling a refusal from a lost connection
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
  static {
    this.prototype.name = "RuntimeApiError"; // survives minification
  }

  /** The status the Runtime API answered; `undefined` where there was no answer. */
  declare readonly status: number | undefined;

  /**
   * Makes the error.
   *
   * @param message What failed, and why.
   * @param options The `status` of the answer and the `cause`, where there are any.
   */
  constructor(message: string, options?: ErrorOptions & { status?: number }) {
    super(message, options);
    const status = options?.status;
    if (status !== undefined) this.status = status; // the log shows what is there
  }
}
