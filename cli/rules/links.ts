import { dirname, join, resolve } from "node:path";

/** A link is in a folder of the tool. A clone can bring such a link, and it may lead to any file of the developer. */
export class LinkError extends Error {
  override readonly name = "LinkError";

  constructor(path: string) {
    super(`Cannot use "${path}": it is a link, which may lead to other files of yours. Remove it`);
  }
}

/** Returns the first part of a path that is a link, from a folder down. The folder itself is such a part. */
export async function findLink(folder: string, path: string): Promise<string | undefined> {
  const parts = [resolve(path)];
  for (let part = parts[0]!; part !== resolve(folder);) parts.unshift(part = dirname(part));
  const isLink = (part: string) => Deno.lstat(part).then(({ isSymlink }) => isSymlink, () => false); // No file, no link.
  const answers = await Promise.all(parts.map(isLink));
  return parts[answers.indexOf(true)];
}

/**
 * Refuses a path that has a link, from a folder down.
 *
 * @throws {LinkError} If a part of the path is a link.
 */
export async function refuseLinks(folder: string, path: string = folder): Promise<void> {
  const link = await findLink(folder, path);
  if (link !== undefined) throw new LinkError(link);
}

/**
 * Refuses a folder that is a link or has a link in it. Does nothing if there is no folder.
 *
 * @throws {LinkError} If there is a link.
 */
export async function refuseLinksIn(folder: string): Promise<void> {
  await refuseLinks(folder);
  try {
    for await (const { name, isSymlink } of Deno.readDir(folder)) {
      if (isSymlink) throw new LinkError(join(folder, name));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
