import { keep } from "./cache_folder.ts";
import { type ArchiveFile, makeZip } from "./archive.ts";

/** The number of archives of a kind that are kept. */
const KEPT = 3;

/**
 * Makes a zip archive, or returns the archive that the same Deno made of the same files before, because a layer takes seconds.
 * The latest three archives of each kind are kept.
 *
 * @param files The files.
 * @param folder The folder that archives are kept in.
 * @param kind The kind of archive, such as `x86_64`.
 * @returns The archive.
 */
export async function makeZipOnce(
  files: readonly ArchiveFile[],
  folder: string,
  kind: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const file = `${folder}/zip-${kind}-${await identify(files)}.zip`;
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
  await prune(folder, `zip-${kind}-`);
  return data;
}

/** Removes all but the latest archives of a kind. Another process may do the same at the same time. */
async function prune(folder: string, prefix: string): Promise<void> {
  const archives: { file: string; time: number }[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(".zip")) continue;
    const file = `${folder}/${name}`;
    const info = await ifThere(Deno.stat(file));
    if (info !== undefined) archives.push({ file, time: info.mtime?.getTime() ?? 0 });
  }
  for (const { file } of archives.sort((a, b) => b.time - a.time).slice(KEPT)) {
    for (const path of [file, `${file}.sha256`]) await ifThere(Deno.remove(path));
  }
}

/** Returns the result, or `undefined` if the file is gone. */
async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Hashes everything that decides the bytes of an archive: its files, and the Deno that makes it. */
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
