import { isError } from "./error.ts";
import { log } from "./record.ts";
import { textOf } from "./text.ts";

/**
 * Writes one record of level FATAL for an error that is the function's own fault: its message is
 * `INTERNAL ERROR: <message>.`, followed by the stack and the whole chain of causes.
 *
 * @param error What was thrown: an error, or any other value.
 * @param message What failed, without a final period; the error's own message where omitted or empty.
 *
 * @example Logging what was caught
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { logInternalError } from "@mate/core/logger";
 *
 * assertThrows(() => {
 *   try {
 *     JSON.parse("{");
 *   } catch (error) {
 *     logInternalError(error, "The configuration is broken");
 *     throw error;
 *   }
 * }, SyntaxError);
 * ```
 */
export function logInternalError(error: unknown, message?: string): void {
  log("FATAL", `INTERNAL ERROR: ${textOf(message || messageOf(error))}.`, [error]);
}

function messageOf(error: unknown): unknown {
  if (!isError(error)) return error;
  try {
    return error.message || error.name;
  } catch {
    return "[Unreadable]"; // a getter that throws
  }
}
