import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { cacheFolder, keep } from "./downloads.ts";

/** The files of a result, by their names. */
export type Parts = ReadonlyMap<string, Uint8Array>;

/** The size of all results together, in bytes. */
const LIMIT = 1024 * 1024 * 1024;

/** The part of the limit that is written before old results are looked for again, because that reads the times of all files. */
const PART = 1 / 20;

/**
 * Results that are kept between runs, each by the content of everything that it was made of. They lie in the user's folder of
 * caches and never in an application, because a clone could bring one there.
 *
 * Nothing here fails: a result that cannot be read is made again, and one that cannot be written is not kept.
 */
export class Kept {
  readonly #folder: string | undefined;
  readonly #warn: (message: string) => void;
  readonly #limit: number;
  /** The number of bytes that may still be written before old results are looked for. */
  #unchecked = 0;

  /**
   * @param warn Takes a line about a result that is damaged or cannot be written.
   * @param folder The folder of caches; by default that of the user. Without one, nothing is kept.
   * @param limit The size of all results together. If it is exceeded by more than a twentieth, those go that were not used for the longest time.
   */
  constructor(
    warn: (message: string) => void,
    folder: string | undefined = userFolder(),
    limit: number = LIMIT,
  ) {
    this.#folder = folder && `${folder}/kept`;
    this.#warn = warn;
    this.#limit = limit;
  }

  /** Returns a result, or `undefined` if it is not kept. */
  async get(kind: string, key: string): Promise<Parts | undefined> {
    if (this.#folder === undefined) return undefined;
    const file = `${this.#folder}/${kind}-${key}`;
    let bytes;
    try {
      bytes = await Deno.readFile(file);
    } catch {
      return undefined; // There is none, or this process may not read it.
    }
    const parts = unpack(bytes, `${kind}-${key}`);
    if (parts === undefined) {
      this.#warn(`The file "${file}" of the cache is damaged: it is made again`);
      await Deno.remove(file).catch(() => {}); // Another process may have removed it.
      return undefined;
    }
    const now = new Date();
    await Deno.utime(file, now, now).catch(() => {}); // The same.
    return parts;
  }

  /** Keeps a result. */
  async put(kind: string, key: string, parts: Parts): Promise<void> {
    if (this.#folder === undefined) return;
    const name = `${kind}-${key}`;
    try {
      await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const packed = pack(parts, name);
      await keep(`${this.#folder}/${name}`, packed);
      this.#unchecked -= packed.length;
      if (this.#unchecked > 0) return;
      this.#unchecked = this.#limit * PART;
      await this.#removeOld(this.#folder);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) return; // The user lets this process write elsewhere only.
      this.#warn(`Cannot keep a result in "${this.#folder}": ${(error as Error).message}`);
    }
  }

  /** Returns a kept result, or makes it and keeps it. */
  async once(kind: string, key: string, make: () => Promise<Parts>): Promise<Parts> {
    const kept = await this.get(kind, key);
    if (kept !== undefined) return kept;
    const made = await make();
    await this.put(kind, key, made);
    return made;
  }

  async #removeOld(folder: string): Promise<void> {
    const files = [];
    let total = 0;
    for await (const { name } of Deno.readDir(folder)) {
      const file = `${folder}/${name}`;
      const info = await Deno.stat(file).catch(() => undefined); // Another process may have removed it.
      if (info === undefined) continue;
      total += info.size;
      files.push({ file, size: info.size, time: info.mtime?.getTime() ?? 0 });
    }
    for (const { file, size } of files.sort((a, b) => a.time - b.time)) {
      if (total <= this.#limit) return;
      total -= size;
      await Deno.remove(file).catch(() => {}); // The same.
    }
  }
}

/** The key of a result: a hash of a description of everything that it was made of. */
export function keyOf(...description: readonly unknown[]): string {
  return digestOf(JSON.stringify(description));
}

export function digestOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function userFolder(): string | undefined {
  try {
    return cacheFolder();
  } catch {
    return undefined; // The user has no such folder, or this process may not read the environment.
  }
}

/** Packs parts into one file: a hash of the rest, a line with the name of the result and the sizes, then the parts. */
function pack(parts: Parts, name: string): Uint8Array {
  const list = [...parts].map(([part, { length }]) => [part, length]);
  const head = new TextEncoder().encode(`${JSON.stringify([name, list])}\n`);
  const hash = createHash("sha256").update(head);
  for (const part of parts.values()) hash.update(part);
  return Buffer.concat([Buffer.from(`${hash.digest("hex")}\n`), head, ...parts.values()]);
}

/** Unpacks a file. Returns `undefined` if it is not as it was written, or has another name. */
function unpack(bytes: Uint8Array<ArrayBuffer>, name: string): Parts | undefined {
  const rest = bytes.subarray(HASH);
  if (new TextDecoder().decode(bytes.subarray(0, HASH)) !== `${digestOf(rest)}\n`) return undefined;
  const end = rest.indexOf(10) + 1;
  const [written, list] = JSON.parse(new TextDecoder().decode(rest.subarray(0, end)));
  if (written !== name) return undefined;
  const parts = new Map<string, Uint8Array>();
  let at = end;
  for (const [part, length] of list) parts.set(part, rest.subarray(at, at += length));
  return parts;
}

/** The length of a hash and the end of its line. */
const HASH = 65;
