import { dirname, join, relative, sep } from "node:path";

/** No file can have the name of the key. */
export class ObjectKeyError extends Error {
  override readonly name = "ObjectKeyError";
}

/** Returns the path of the file of an object. The path is always below the folder. */
export function pathOf(folder: string, key: string): string {
  const problem = findProblem(key);
  if (problem !== undefined) {
    throw new ObjectKeyError(`Cannot use the key ${JSON.stringify(key)}: ${problem}`);
  }
  return join(folder, ...key.split("/"));
}

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

/** Throws if a link is in the path below a folder, because a link may lead out of the folder. */
export async function refuseLinks(folder: string, path: string): Promise<void> {
  for (let part = path; part !== folder; part = dirname(part)) {
    const isLink = await Deno.lstat(part).then(({ isSymlink }) => isSymlink, () => false);
    if (!isLink) continue;
    const shown = JSON.stringify(relative(folder, path));
    throw new ObjectKeyError(`Cannot use ${shown}: a link is in it`);
  }
}
