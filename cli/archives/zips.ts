import { Buffer } from "node:buffer";
import { type Kept, keyOf } from "../programs/kept.ts";
import { type ArchiveFile, identifyFiles, makeZip } from "./archive.ts";
import { contentsOf, type Part } from "./sizes.ts";

/** A zip with its facts. */
export interface Zip {
  readonly data: Uint8Array<ArrayBuffer>;
  /** The files, the largest first. */
  readonly files: readonly Part[];
}

/** Several zips as one. */
export interface JoinedZip {
  /** The bytes, in pieces. A layer has 40 MB, and to copy them takes longer than to write them. */
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  /** The files, the largest first. */
  readonly files: readonly Part[];
  /** The size of the zip, in bytes. */
  readonly zipped: number;
  /** The size of its files. */
  readonly unzipped: number;
}

/** Makes a zip of files, or takes the kept one. */
export async function zipOnce(
  kind: "deno" | "zip",
  id: string,
  files: () => Promise<readonly ArchiveFile[]>,
  kept: Kept,
): Promise<Zip> {
  const parts = await kept.once(
    kind,
    keyOf("zip 5, files", Deno.version, Deno.build.target, id),
    async () => {
      const list = await files();
      const names = new TextEncoder().encode(JSON.stringify(contentsOf(list).files));
      return new Map([["zip", await makeZip(list)], ["files", names]]);
    },
  );
  const data = parts.get("zip") as Uint8Array<ArrayBuffer>;
  return { data, files: JSON.parse(new TextDecoder().decode(parts.get("files"))) };
}

/** Makes a zip of files that are there already, or takes the kept one. */
export function zipFiles(files: readonly ArchiveFile[], kept: Kept): Promise<Zip> {
  return zipOnce("zip", identifyFiles(files), () => Promise.resolve(files), kept);
}

/** Joins zips without compressing their files again. */
export function joinZips(...zips: readonly Zip[]): JoinedZip {
  const files = zips.flatMap(({ files }) => files).sort((a, b) => b.size - a.size);
  const pieces = joinData(zips.map(({ data }) => data));
  return {
    pieces,
    files,
    zipped: pieces.reduce((sum, { length }) => sum + length, 0),
    unzipped: files.reduce((sum, { size }) => sum + size, 0),
  };
}

function joinData(zips: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer>[] {
  let offset = 0;
  let count = 0;
  const parts = zips.map((zip) => {
    const end = viewOf(zip.subarray(-END));
    const [size, start] = [end.getUint32(12, true), end.getUint32(16, true)];
    count += end.getUint16(10, true);
    const directory = zip.slice(start, start + size);
    const view = viewOf(directory);
    // An entry of the directory has 46 bytes, then the path, the extra fields and the comment. It names the place of its file.
    for (let at = 0; at < size;) {
      view.setUint32(at + 42, view.getUint32(at + 42, true) + offset, true);
      at += [28, 30, 32].reduce((sum, place) => sum + view.getUint16(at + place, true), 46);
    }
    offset += start;
    return { files: zip.subarray(0, start), directory };
  });
  const directory = Buffer.concat(parts.map((part) => part.directory));
  const end = zips[0]!.slice(-END);
  const view = viewOf(end);
  [8, 10].forEach((place) => view.setUint16(place, count, true));
  view.setUint32(12, directory.length, true);
  view.setUint32(16, offset, true);
  return [...parts.map(({ files }) => files), directory, end];
}

/** The length of the record at the end of a zip without a comment. */
const END = 22;

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
