// @ts-types="./yazl.d.ts"
import { ZipFile } from "yazl";
import { Buffer } from "node:buffer";

/** A file for an archive. */
export interface ArchiveFile {
  /** The path in the archive, with slashes. */
  readonly path: string;
  /** The content. */
  readonly data: Uint8Array;
  /** Whether the file can be executed. */
  readonly isExecutable?: boolean | undefined;
}

/** The time of every entry: the earliest that the format knows, in any time zone. */
const TIME = new Date(1980, 0, 1);

/**
 * Makes a zip archive. The same files make the same bytes in any order.
 *
 * @param files The files.
 * @returns The archive. Entries are sorted by path, have the Unix mode 755 (executable) or 644, and have the same time.
 */
export async function makeZip(files: readonly ArchiveFile[]): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const { path, data, isExecutable } of sortByPath(files)) {
    zip.addBuffer(Buffer.from(data.buffer, data.byteOffset, data.byteLength), path, {
      mtime: TIME,
      mode: 0o100000 | (isExecutable ? 0o755 : 0o644),
      compressionLevel: 9,
      forceDosTimestamp: true, // the other form of time contains the time zone
    });
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const isDone = Promise.withResolvers<void>();
  zip.on("error", isDone.reject);
  zip.outputStream.on("error", isDone.reject).on("end", isDone.resolve)
    .on("data", (chunk: Uint8Array<ArrayBuffer>) => chunks.push(chunk));
  zip.end();
  await isDone.promise;
  return await new Blob(chunks).bytes();
}

/**
 * Writes files to a folder, with the modes that they have in an archive, so that another user can read them.
 *
 * @param folder The folder; it is made if it is missing.
 * @param files The files.
 */
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

function sortByPath(files: readonly ArchiveFile[]): readonly ArchiveFile[] {
  return [...files].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}
