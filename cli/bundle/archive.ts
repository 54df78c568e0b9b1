import { ZipFile } from "yazl";
import { Buffer } from "node:buffer";
import { ifThere, keep } from "./downloads.ts";

export interface ArchiveFile {
  /** The path in the archive, with slashes. */
  readonly path: string;
  readonly data: Uint8Array;
  readonly isExecutable?: boolean | undefined;
}

/** The time of every entry: the earliest time of the format, in any time zone. */
const TIME = new Date(1980, 0, 1);

/** Makes a zip archive. The same files make the same bytes in any order, because entries are sorted and have one time. */
export async function makeZip(files: readonly ArchiveFile[]): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  const sorted = [...files].sort((a, b) => a.path < b.path ? -1 : 1);
  for (const { path, data, isExecutable } of sorted) {
    zip.addBuffer(Buffer.from(data.buffer, data.byteOffset, data.byteLength), path, {
      mtime: TIME,
      mode: 0o100000 | (isExecutable ? 0o755 : 0o644),
      compressionLevel: 9,
      forceDosTimestamp: true, // the other form of time contains the time zone
    });
  }
  zip.end();
  const chunks: Uint8Array<ArrayBuffer>[] = await Array.fromAsync(zip.outputStream);
  return await new Blob(chunks).bytes();
}

/** Writes files to a folder, with the modes of the archive, so that other users can read them. */
export async function writeFiles(folder: string, files: readonly ArchiveFile[]): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.chmod(folder, 0o755);
  for (const { path, data, isExecutable } of files) {
    const names = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= names.length; depth++) {
      const parent = `${folder}/${names.slice(0, depth).join("/")}`;
      await Deno.mkdir(parent, { recursive: true });
      await Deno.chmod(parent, 0o755); // the umask may have removed the rights of other users
    }
    await Deno.writeFile(`${folder}/${path}`, data);
    await Deno.chmod(`${folder}/${path}`, isExecutable ? 0o755 : 0o644);
  }
}

/**
 * Makes a zip archive, or returns the kept archive if the same Deno made it of the same files. A layer takes seconds.
 *
 * The folder keeps the latest archive of each kind, such as `x86_64`. The name of the file has two hashes: of the input and of
 * the archive.
 */
export async function makeZipOnce(
  files: readonly ArchiveFile[],
  folder: string,
  kind: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const id = await identify(files);
  await Deno.mkdir(folder, { recursive: true });
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  const kept = names.filter((name) => name.startsWith(`zip-${kind}-`));
  for (const name of kept.filter((name) => name.includes(id))) {
    const data = await ifThere(Deno.readFile(`${folder}/${name}`));
    if (data && name.endsWith(`-${await digest(data)}.zip`)) return data;
  }
  for (const name of kept) await ifThere(Deno.remove(`${folder}/${name}`));
  const data = await makeZip(files);
  await keep(`${folder}/zip-${kind}-${id}-${await digest(data)}.zip`, data);
  return data;
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
