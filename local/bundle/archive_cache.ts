import { keep } from "./_cache_folder.ts";
import { type ArchiveFile, makeZip } from "./archive.ts";

/**
 * Makes a zip archive, or takes the one that was made of the same files by the same Deno before: a layer takes seconds.
 *
 * @param files The files.
 * @param folder Where archives are kept.
 * @returns The archive.
 */
export async function makeZipOnce(
  files: readonly ArchiveFile[],
  folder: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = `${folder}/zip-${await identify(files)}.zip`;
  const hash = `${file}.sha256`;
  try {
    const data = await Deno.readFile(file);
    if (await digest(data) === await Deno.readTextFile(hash)) return data;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const data = await makeZip(files);
  await keep(file, data);
  await keep(hash, new TextEncoder().encode(await digest(data)));
  return data;
}

/** What tells one archive from another, the Deno included that makes it. */
async function identify(files: readonly ArchiveFile[]): Promise<string> {
  const list = await Promise.all(files.map(async ({ path, data, isExecutable }) => {
    return [path, isExecutable === true, await digest(data as Uint8Array<ArrayBuffer>)];
  }));
  const text = JSON.stringify([Deno.version.deno, Deno.build.target, list.sort()]);
  return await digest(new TextEncoder().encode(text));
}

async function digest(data: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data)).toHex();
}
