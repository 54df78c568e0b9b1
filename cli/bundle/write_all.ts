/** A file to write. */
export interface Output {
  /** The path of the file. */
  readonly path: string;
  /** The content. */
  readonly data: Uint8Array;
}

/**
 * Writes files: first under other names, so that no file is replaced unless all can be written.
 *
 * @param folder The folder of the files; it is made if it is missing.
 * @param files The files.
 * @throws {Error} If the folder cannot be made or a file cannot be written; the message names it.
 */
export async function writeAll(folder: string, files: readonly Output[]): Promise<void> {
  await attempt(`to the folder "${folder}"`, () => Deno.mkdir(folder, { recursive: true }));
  const suffix = `.${crypto.randomUUID()}`;
  try {
    for (const { path, data } of files) {
      await attempt(`"${path}"`, async () => {
        if (await isFolder(path)) throw new Error("it is a folder");
        await Deno.writeFile(path + suffix, data);
      });
    }
    for (const { path } of files) {
      await attempt(`"${path}"`, () => Deno.rename(path + suffix, path));
    }
  } catch (error) {
    for (const { path } of files) {
      await Deno.remove(path + suffix).catch(() => {}); // the first error matters
    }
    throw error;
  }
}

async function attempt(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw new Error(`Cannot write ${name}: ${(error as Error).message}`, { cause: error });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
