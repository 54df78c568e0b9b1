import { join, sep } from "node:path";

/** A key that the folder cannot hold; the message says why. */
export class ObjectKeyError extends Error {
  static {
    this.prototype.name = "ObjectKeyError";
  }
}

/**
 * The path of the file that holds an object.
 *
 * @param folder The folder of the bucket.
 * @param key The key of the object.
 * @returns The path, which is always below the folder.
 * @throws {ObjectKeyError} If no file can have the key for its path.
 */
export function pathOf(folder: string, key: string): string {
  const problem = findProblem(key);
  if (problem !== undefined) {
    throw new ObjectKeyError(`Cannot use the key ${JSON.stringify(key)}: ${problem}`);
  }
  return join(folder, ...key.split("/"));
}

/** What is wrong with a key, as far as the names of files go. */
function findProblem(key: string): string | undefined {
  if (new TextEncoder().encode(key).length > 1_024) return "it has over 1,024 bytes";
  for (const part of key.split("/")) {
    if (part === "") return "a part of it between slashes is empty";
    if (part === "." || part === "..") return `"${part}" cannot be the name of a file`;
    if (part.includes("\0")) return "it has a NUL";
    if (sep !== "/" && part.includes(sep)) return `it has a ${sep}`;
    if (new TextEncoder().encode(part).length > 255) return "a part of it has over 255 bytes";
  }
  return undefined;
}
