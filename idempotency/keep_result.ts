import { IdempotencyInProgressError } from "./errors.ts";
import { NO_RESULT, writeResult } from "./result.ts";

/**
 * Keeps the result of work that is done. If the result cannot be kept, the store remembers this, because the work must not
 * run again.
 *
 * @param complete Writes the text of a result into the store.
 * @param until The end of the claim, in milliseconds since 1970.
 * @returns The text that is kept.
 * @throws {TypeError} If JSON cannot carry the result.
 */
export async function keepResult(
  result: unknown,
  complete: (text: string | undefined) => Promise<void>,
  until: number,
): Promise<string | undefined> {
  let text: string | undefined;
  try {
    text = writeResult(result);
  } catch (error) {
    await persist(() => complete(NO_RESULT), until).catch(() => {}); // the first error matters more
    throw error;
  }
  try {
    await persist(() => complete(text), until);
  } catch (error) {
    // The result may be too large for the store.
    if (!(error instanceof IdempotencyInProgressError)) await complete(NO_RESULT).catch(() => {});
    throw error;
  }
  return text;
}

/** The milliseconds before a failed write is made again. The client of Amazon DynamoDB has waited before, too. */
const PAUSES = [50, 100, 200];

/** Makes a write, and makes it again while it fails and the time allows it. Throws the first error. */
async function persist(write: () => Promise<void>, until: number): Promise<void> {
  let first: unknown;
  for (const pause of [0, ...PAUSES]) {
    if (first !== undefined && Date.now() + pause >= until) break;
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      return await write();
    } catch (error) {
      if (error instanceof IdempotencyInProgressError) throw error;
      first ??= error ?? new Error("The store failed");
    }
  }
  throw first;
}
