import { ZipFile } from "yazl";
import { Buffer } from "node:buffer";
import { digestOf, keyOf } from "../programs/kept.ts";

export interface ArchiveFile {
  /** The path in the archive, with slashes. */
  readonly path: string;
  readonly data: Uint8Array;
  readonly isExecutable?: boolean | undefined;
}

/** The time of every entry: the earliest time of the format, in any time zone. */
const TIME = new Date(1980, 0, 1);

const encoded = new WeakMap<object, Map<string, ArchiveFile>>();

/**
 * Makes a file of a text. The same owner has the same file each time, because encoding and comparing the bundles of a whole
 * application takes as long as the bundle that has changed.
 *
 * @param owner What the text belongs to, such as a bundle.
 */
export function fileOf(owner: object, path: string, text: () => string): ArchiveFile {
  const files = encoded.get(owner) ?? new Map<string, ArchiveFile>();
  encoded.set(owner, files);
  const file = files.get(path) ?? { path, data: new TextEncoder().encode(text()) };
  files.set(path, file);
  return file;
}

/** Makes a zip archive. The same files make the same bytes in any order, because entries are sorted and have one time. */
export async function makeZip(files: readonly ArchiveFile[]): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  const sorted = [...files].sort((a, b) => a.path < b.path ? -1 : 1);
  for (const { path, data, isExecutable } of sorted) {
    zip.addBuffer(Buffer.from(data.buffer, data.byteOffset, data.byteLength), path, {
      mtime: TIME,
      mode: 0o100000 | (isExecutable ? 0o755 : 0o644),
      compressionLevel: 5, // 6 makes zips 1 % smaller, and takes half as long again
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
  const made = new Set<string>();
  for (const { path, data, isExecutable } of files) {
    const names = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= names.length; depth++) {
      const parent = `${folder}/${names.slice(0, depth).join("/")}`;
      if (made.has(parent)) continue;
      made.add(parent);
      await Deno.mkdir(parent, { recursive: true });
      await Deno.chmod(parent, 0o755); // the umask may have removed the rights of other users
    }
    await Deno.writeFile(`${folder}/${path}`, data);
    await Deno.chmod(`${folder}/${path}`, isExecutable ? 0o755 : 0o644);
  }
}

/** Identifies files by their paths, modes and contents. */
export function identifyFiles(files: readonly ArchiveFile[]): string {
  const list = files.map((
    { path, data, isExecutable },
  ) => [path, isExecutable === true, digestOf(data)]);
  return keyOf(...list.map((item) => JSON.stringify(item)).sort());
}
