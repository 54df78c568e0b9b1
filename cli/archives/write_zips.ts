/**
 * Writes all zips under other names, then renames them. So no file is replaced if one cannot be written.
 *
 * @throws {Error} If a file cannot be written. Then none is left under another name.
 */
export async function writeZips(
  folder: string,
  files: readonly {
    readonly path: string;
    readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  }[],
): Promise<void> {
  await attempt(`to the folder "${folder}"`, () => Deno.mkdir(folder, { recursive: true }));
  const suffix = `.${crypto.randomUUID()}`;
  try {
    for (const { path, pieces } of files) {
      await attempt(`"${path}"`, async () => {
        const isFolder = await Deno.stat(path)
          .then(({ isDirectory }) => isDirectory, () => false); // a new file
        if (isFolder) throw new Error("it is a folder");
        await Deno.writeFile(path + suffix, ReadableStream.from(pieces));
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
