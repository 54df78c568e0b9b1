import { UsageError } from "../arguments.ts";
import { nearest } from "../manifest/nearest.ts";
import type { Manifest } from "../manifest/manifest.ts";

/**
 * Checks that the manifest has a function.
 *
 * @param manifest The manifest.
 * @param name The name of the function.
 * @throws {UsageError} If the manifest does not have the function; the message has the nearest name.
 */
export function checkFunction(manifest: Manifest, name: string): void {
  const names = Object.keys(manifest.functions);
  if (names.includes(name)) return;
  const word = nearest(name, names);
  const hint = word === undefined
    ? `expected one of ${names.join(", ")}`
    : `did you mean "${word}"?`;
  throw new UsageError(`Unknown function "${name}": ${hint}`);
}

/**
 * Calls AWS, and explains the errors that a user can mend.
 *
 * @param action The action that fails, such as `Cannot read the log of "orders"`.
 * @param call The call.
 * @returns The result of the call.
 * @throws {Error} If the call fails.
 */
export async function callAws<T>(action: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { name, message } = error as Error;
    const remedy = name === "ResourceNotFoundException"
      ? "it is not deployed, or in another region: run mate deploy"
      : /credential|token|expired|signature/i.test(`${name} ${message}`)
      ? `${message} (log in first, such as with "aws sso login" or AWS_PROFILE)`
      : /region is missing/i.test(message)
      ? 'set "region" in the manifest, or AWS_REGION'
      : message;
    throw new Error(`${action}: ${remedy}`, { cause: error });
  }
}
