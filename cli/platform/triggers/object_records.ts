import { createHash } from "node:crypto";
import { join } from "node:path";

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
  /** Whether the content is not in the folder of the bucket, because no file can have the name of the key. */
  readonly isHidden?: boolean | undefined;
}

/**
 * What a file cannot keep: the facts of each object, and the content of objects whose keys cannot be names of files. Both
 * stay when the platform starts again.
 */
export class ObjectRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the path for the content of an object that is not in the folder of the bucket. */
  contentPath(key: string): string {
    return join(this.#folder, createHash("sha256").update(key).digest("hex"));
  }

  #path(key: string): string {
    return `${this.contentPath(key)}.json`;
  }

  /** Reads all records. Ignores what is not a record. */
  async read(): Promise<ReadonlyMap<string, StoredObject>> {
    await Deno.mkdir(this.#folder, { recursive: true });
    const records = new Map<string, StoredObject>();
    for await (const { name } of Deno.readDir(this.#folder)) {
      if (!name.endsWith(".json")) continue;
      const record = parseRecord(await Deno.readTextFile(join(this.#folder, name)));
      if (record !== undefined && this.#path(record.key) === join(this.#folder, name)) {
        records.set(record.key, record);
      }
    }
    return records;
  }

  async write(record: StoredObject): Promise<void> {
    const path = this.#path(record.key);
    await Deno.writeTextFile(`${path}.new`, JSON.stringify(record));
    await Deno.rename(`${path}.new`, path); // A reader never sees half of a record.
  }

  async remove(key: string): Promise<void> {
    for (const path of [this.#path(key), this.contentPath(key)]) {
      await Deno.remove(path).catch(ignoreNotFound);
    }
  }
}

/** Reads a record. A program may have damaged the file. Then the object is examined again. */
function parseRecord(text: string): StoredObject | undefined {
  try {
    const record = JSON.parse(text);
    return typeof record?.key === "string" ? record : undefined;
  } catch {
    return undefined;
  }
}

export function ignoreNotFound(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
