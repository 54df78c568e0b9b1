import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ArchiveFile } from "../../bundle/archive.ts";

/**
 * Writes the source map of a bundle into the bundle, with the texts of the sources. A debugger has no other way to the map,
 * because only the function sees `/var/task`.
 *
 * @param folder The folder that the names of the sources are relative to.
 */
export async function withMap(
  files: readonly ArchiveFile[],
  folder: string,
): Promise<readonly ArchiveFile[]> {
  return await Promise.all(files.map(async (file) => {
    const map = files.find(({ path }) => path === `${file.path}.map`);
    if (map === undefined) return file;
    const decoder = new TextDecoder();
    const code = decoder.decode(file.data).replace(/\n\/\/# sourceMappingURL=.*\n$/, "");
    const own = JSON.parse(decoder.decode(map.data));
    const sources = await Promise.all(own.sources.map(async (name: string) => {
      if (/^[a-z][a-z\d+.-]+:/i.test(name)) return { url: name, text: null };
      const path = resolve(folder, name);
      const text = await Deno.readTextFile(path).catch(() => null); // A module of a package has no file of its own.
      return { url: text === null ? name : pathToFileURL(path).href, text };
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
