import { join, sep } from "node:path";

/** The largest key of an object, in bytes. */
export const MAX_KEY = 1_024;

/** The largest name of a file, in bytes. */
const MAX_NAME = 255;

/** No object can have the key. */
export class ObjectKeyError extends Error {
  override readonly name = "ObjectKeyError";

  /** `isTooLong` tells whether the key has too many bytes. */
  constructor(key: string, problem: string, readonly isTooLong = false) {
    const shown = key.length > 100 ? `${key.slice(0, 100)}…` : key;
    super(`Cannot use the key ${JSON.stringify(shown)}: ${problem}`);
  }
}

const sizeOf = (text: string) => new TextEncoder().encode(text).length;

/**
 * Throws if no object of Amazon S3 can have the key. Most keys are possible, but no path may lead out of the bucket.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
 */
export function checkKey(key: string): void {
  if (key === "") throw new ObjectKeyError(key, "it is empty");
  if (sizeOf(key) > MAX_KEY) throw new ObjectKeyError(key, `it has over ${MAX_KEY} bytes`, true);
  let depth = 0;
  for (const part of key.split("/")) {
    depth += part === ".." ? -1 : 1;
    if (depth < 0) throw new ObjectKeyError(key, "its path leads out of the bucket");
  }
}

/**
 * Returns the path of the file of an object, which is always below the folder. Returns `undefined` if no file can have the
 * name of the key.
 */
export function pathOf(folder: string, key: string): string | undefined {
  const parts = key.split("/");
  const isName = (part: string) =>
    part !== "" && part !== "." && part !== ".." && !part.includes("\0") &&
    (sep === "/" || !part.includes(sep)) && sizeOf(part) <= MAX_NAME;
  return parts.every(isName) ? join(folder, ...parts) : undefined;
}
