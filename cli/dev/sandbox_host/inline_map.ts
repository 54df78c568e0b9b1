import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ArchiveFile } from "../../archives/archive.ts";

/**
 * Writes the source map of a bundle into the bundle, with the texts of the sources. A debugger has no other way to the map,
 * because only the function sees `/var/task`.
 *
 * @param folder The folder that the names of the sources are relative to.
 * @param modules The files of the application in the bundle. No other file is read, because the source map of a package may name
 * any file of the developer.
 */
export async function withMap(
  files: readonly ArchiveFile[],
  folder: string,
  modules: ReadonlySet<string>,
): Promise<readonly ArchiveFile[]> {
  return await Promise.all(files.map(async (file) => {
    const map = files.find(({ path }) => path === `${file.path}.map`);
    if (map === undefined) return file;
    const decoder = new TextDecoder();
    const code = decoder.decode(file.data).replace(/\n\/\/# sourceMappingURL=.*\n$/, "");
    const own = JSON.parse(decoder.decode(map.data));
    const sources = await Promise.all(own.sources.map(async (name: string) => {
      const path = resolve(folder, name);
      if (!modules.has(path)) return { url: name, text: null };
      const text = await Deno.readTextFile(path).catch((error) => {
        if (error instanceof Deno.errors.NotFound) return null; // It was removed just now.
        throw error;
      });
      return { url: pathToFileURL(path).href, text };
    }));
    const text = JSON.stringify({
      ...own,
      sources: sources.map(({ url }) => url),
      sourcesContent: sources.map(({ text }) => text),
    });
    const url = `data:application/json;base64,${new TextEncoder().encode(text).toBase64()}`;
    return { ...file, data: new TextEncoder().encode(`${code}\n//# sourceMappingURL=${url}\n`) };
  }));
}
