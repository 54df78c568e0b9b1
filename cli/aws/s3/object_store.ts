import { createHash } from "node:crypto";
import { join, sep } from "node:path";
import { ifThere } from "../../programs/downloads.ts";
import { parseJson } from "../../rules/json_object.ts";
import { refuseLinks } from "../../rules/links.ts";

/** The header fields that Amazon S3 stores with an object, by name in lower case. */
export type StoredFields = Readonly<Record<string, string>>;

/** A checksum of an object. */
export interface Checksum {
  /** The algorithm as Amazon S3 names it, such as `CRC32`. */
  readonly algorithm: string;
  /** The digest in base64. With the type `COMPOSITE`, a hyphen and the number of parts follow. */
  readonly value: string;
  readonly type: "FULL_OBJECT" | "COMPOSITE";
}

/** What Amazon S3 tells of an object. */
export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** The MD5 digest of the content in hexadecimal, or the digest of the digests of the parts. */
  readonly etag: string;
  /** The time of the last change, in milliseconds. */
  readonly modified: number;
  readonly fields?: StoredFields | undefined;
  readonly checksum?: Checksum | undefined;
  /** The storage class. The default is `STANDARD`. */
  readonly storageClass?: string | undefined;
  /** The sizes of the parts of a multipart upload. */
  readonly parts?: readonly number[] | undefined;
}

/** The record of an object. */
export interface ObjectRecord extends StoredObject {
  /** The name of the content in the store. No other object ever has this content. */
  readonly content: string;
  /** The state of the file in the folder of the bucket, unless no file can have the name of the key. */
  readonly file?: string | undefined;
}

/** Content in the store. */
export interface Content {
  readonly name: string;
  readonly size: number;
  /** The MD5 digest in hexadecimal. */
  readonly etag: string;
}

const CONTENT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What else can belong to content: a copy for the folder of the bucket, and a record that is being written. */
const [COPY, NEW] = [".copy", ".new"];

/**
 * The records and the contents of the objects of a bucket, each in a file. Content never changes after it was written. A
 * record points to it, and replaces the former record in one step. So a reader who has a record has the content of it.
 */
export class ObjectStore {
  /**
   * @param data The folder that may be a part of a clone: no link may be in the path from here on.
   * @param folder The folder of the store.
   */
  constructor(private readonly data: string, private readonly folder: string) {}

  /** Writes content. If this fails, nothing of the content stays. */
  async write(content: AsyncIterable<Uint8Array>): Promise<Content> {
    const name = crypto.randomUUID();
    const path = await this.#path(name);
    const hash = createHash("md5");
    let size = 0;
    await Deno.mkdir(this.folder, { recursive: true });
    try {
      using file = await Deno.open(path, { write: true, createNew: true });
      for await (const chunk of content) {
        hash.update(chunk);
        size += chunk.length;
        // `file.writable` would hide that the disk is full.
        for (let done = 0; done < chunk.length;) done += await file.write(chunk.subarray(done));
      }
    } catch (error) {
      await this.drop(name);
      throw error;
    }
    return { name, size, etag: hash.digest("hex") };
  }

  /** Opens content. Returns `undefined` if it was dropped. */
  async open(name: string): Promise<ReadableStream<Uint8Array> | undefined> {
    return (await ifThere(Deno.open(await this.#path(name))))?.readable;
  }

  /** Copies content, for the folder of the bucket. Returns the state of the copy. */
  async copy(name: string): Promise<string> {
    const path = this.copyOf(name);
    await Deno.copyFile(await this.#path(name), path); // Many file systems copy without taking space.
    return stateOf(await Deno.lstat(path));
  }

  /** The path of the copy of content, if the copy is not in the folder of the bucket yet. */
  copyOf(name: string): string {
    return join(this.folder, name + COPY);
  }

  /** Removes content that no record points to, and what belongs to it. */
  async drop(name: string): Promise<void> {
    for (const suffix of [COPY, NEW, ""]) {
      await ifThere(Deno.remove(join(this.folder, name + suffix)));
    }
  }

  /** Writes a record. It replaces the former record of the key in one step, or not at all. */
  async record(object: ObjectRecord): Promise<void> {
    const path = await this.#path(object.content + NEW);
    await Deno.writeTextFile(path, JSON.stringify(object), { createNew: true });
    await Deno.rename(path, join(this.folder, nameOf(object.key)));
  }

  /** Removes the record of an object. */
  async forget(key: string): Promise<void> {
    await ifThere(Deno.remove(await this.#path(nameOf(key))));
  }

  /** Reads all records. Removes what a process left that was killed. Ignores other files, and links. */
  async read(): Promise<{ objects: readonly ObjectRecord[]; copies: ReadonlySet<string> }> {
    await refuseLinks(this.data, this.folder);
    await Deno.mkdir(this.folder, { recursive: true });
    const entries = await Array.fromAsync(Deno.readDir(this.folder));
    const names = entries.filter(({ isFile }) => isFile).map(({ name }) => name);
    const files = new Set(names);
    const objects = new Map<string, ObjectRecord>();
    for (const name of names.filter((name) => name.endsWith(".json"))) {
      const object = parseRecord(await Deno.readTextFile(join(this.folder, name)));
      if (object === undefined || nameOf(object.key) !== name || !files.has(object.content)) {
        continue;
      }
      const { size } = await Deno.lstat(join(this.folder, object.content));
      if (size === object.size) objects.set(object.content, object);
    }
    const copies = new Set<string>();
    for (const name of names) {
      const content = name.replace(/\.[a-z]+$/, "");
      if (!CONTENT.test(content)) continue;
      if (!objects.has(content) || name.endsWith(NEW)) await Deno.remove(join(this.folder, name));
      else if (name.endsWith(COPY)) copies.add(content);
    }
    return { objects: [...objects.values()], copies };
  }

  async #path(name: string): Promise<string> {
    const path = join(this.folder, name);
    await refuseLinks(this.data, path);
    return path;
  }
}

/** The name of the record of a key. */
function nameOf(key: string): string {
  return `${createHash("sha256").update(key).digest("hex")}.json`;
}

/** Reads a record. A program or a clone may have written the file. */
function parseRecord(text: string): ObjectRecord | undefined {
  const record = Object(parseJson(text));
  const isRecord = typeof record.key === "string" && CONTENT.test(record.content) &&
    /^[0-9a-f]+(-\d+)?$/.test(record.etag) && Number.isInteger(record.modified);
  return isRecord ? record : undefined;
}

/** Writes down what changes when a program changes a file. */
export function stateOf({ size, mtime }: Deno.FileInfo): string {
  return `${Number(mtime)} ${size}`;
}

/** The largest key of an object, in bytes. */
export const MAX_KEY = 1_024;

/** The largest name of a file, in bytes. */
const MAX_NAME = 255;

/** No object can have the key. */
export class ObjectKeyError extends Error {
  override readonly name = "ObjectKeyError";

  /** `isTooLong` tells whether the key has too many bytes. */
  constructor(key: string, problem: string, readonly isTooLong = false) {
    const shown = key.length > 100 ? `${key.slice(0, 100)}…` : key;
    super(`Cannot use the key ${JSON.stringify(shown)}: ${problem}`);
  }
}

const sizeOf = (text: string) => new TextEncoder().encode(text).length;

/**
 * Throws if no object of Amazon S3 can have the key. Most keys are possible, but no path may lead out of the bucket.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
 */
export function checkKey(key: string): void {
  if (key === "") throw new ObjectKeyError(key, "it is empty");
  if (sizeOf(key) > MAX_KEY) throw new ObjectKeyError(key, `it has over ${MAX_KEY} bytes`, true);
  let depth = 0;
  for (const part of key.split("/")) {
    depth += part === ".." ? -1 : 1;
    if (depth < 0) throw new ObjectKeyError(key, "its path leads out of the bucket");
  }
}

/**
 * Returns the path of the file of an object, which is always below the folder. Returns `undefined` if no file can have the
 * name of the key.
 */
export function pathOf(folder: string, key: string): string | undefined {
  const parts = key.split("/");
  const isName = (part: string) =>
    part !== "" && part !== "." && part !== ".." && !part.includes("\0") &&
    (sep === "/" || !part.includes(sep)) && sizeOf(part) <= MAX_NAME;
  return parts.every(isName) ? join(folder, ...parts) : undefined;
}
