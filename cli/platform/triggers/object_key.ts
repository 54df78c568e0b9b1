import { dirname, join, relative, sep } from "node:path";

/** A key that the folder cannot hold. */
export class ObjectKeyError extends Error {
  override readonly name = "ObjectKeyError";
}

/** The path of the file that holds an object. It is always below the folder. */
export function pathOf(folder: string, key: string): string {
  const problem = findProblem(key);
  if (problem !== undefined) {
    throw new ObjectKeyError(`Cannot use the key ${JSON.stringify(key)}: ${problem}`);
  }
  return join(folder, ...key.split("/"));
}

/** What is wrong with a key for the path of a file. */
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

/** Checks that no link leads from the path of an object out of the folder of its bucket. The path need not exist. */
export async function checkLinks(folder: string, path: string): Promise<void> {
  const root = await Deno.realPath(folder);
  for (let part = path; part !== folder; part = dirname(part)) {
    try {
      if (await Deno.realPath(part) === join(root, relative(folder, part))) return;
    } catch (error) {
      const isMissing = error instanceof Deno.errors.NotFound ||
        error instanceof Deno.errors.NotADirectory;
      if (!isMissing) throw error;
      if (!await isLink(part)) continue;
    }
    throw new ObjectKeyError(
      `Cannot use ${JSON.stringify(relative(folder, path))}: a link is in it`,
    );
  }
}

function isLink(path: string): Promise<boolean> {
  return Deno.lstat(path).then(({ isSymlink }) => isSymlink, () => false);
}
