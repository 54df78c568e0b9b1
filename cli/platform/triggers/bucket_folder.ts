import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import { checkLinks, ObjectKeyError, pathOf } from "./object_key.ts";

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** The MD5 digest of the content, in hexadecimal. */
  readonly etag: string;
  /** When it was last written, in milliseconds. */
  readonly modified: number;
}

export interface ObjectChange {
  readonly eventName:
    | `ObjectCreated:${"Put" | "Copy" | "CompleteMultipartUpload"}`
    | "ObjectRemoved:DeleteMarkerCreated";
  /** The key of the object, not encoded. */
  readonly key: string;
  readonly size?: number | undefined;
  /** The MD5 digest of the content in hexadecimal, unless the object was removed. */
  readonly etag?: string | undefined;
  readonly time: Date;
  readonly sourceIp: string;
}

/** The client that changes an object. */
export interface Client {
  readonly sourceIp: string;
  /** How it creates an object; `Put` by default. */
  readonly how?: "Put" | "Copy" | "CompleteMultipartUpload";
  /** Throws if the object that is there keeps the client from creating its own. */
  readonly check?: (current: StoredObject | undefined) => void;
}

const DISK = "127.0.0.1"; // the client that writes to the folder itself

/**
 * A bucket whose objects are the files of a folder. One listener is told of each change once, whether the change was made
 * through the bucket or on disk. A file whose name starts with a period is an object only if it was put through the bucket.
 */
export class BucketFolder {
  readonly #folder: string;
  readonly #uploads: string;
  readonly #onChange: (change: ObjectChange) => void;
  readonly #objects: Map<string, StoredObject> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  /** Makes a bucket of a folder. Objects are in the folder for uploads, on the same disk, until they are complete. */
  constructor(folder: string, uploads: string, onChange: (change: ObjectChange) => void) {
    this.#folder = folder;
    this.#uploads = uploads;
    this.#onChange = onChange;
  }

  list(): readonly StoredObject[] {
    return [...this.#objects.values()].sort((a, b) => a.key < b.key ? -1 : 1);
  }

  /** Stores an object. Like the other methods, it throws an {@linkcode ObjectKeyError} if the folder cannot hold the key. */
  async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    client: Client,
  ): Promise<StoredObject> {
    const path = await this.#locate(key);
    await Deno.mkdir(this.#uploads, { recursive: true });
    const upload = await Deno.makeTempFile({ dir: this.#uploads });
    try {
      const hash = createHash("md5");
      const file = await Deno.open(upload, { write: true });
      await ReadableStream.from(digest(content, hash)).pipeTo(file.writable);
      return await this.#alone(async () => {
        client.check?.(this.#objects.get(key));
        await this.#locate(key); // The folder may have changed during the upload.
        await makeRoom(key, path, upload);
        const { size, mtime } = await Deno.stat(path);
        const object = { key, size, etag: hash.digest("hex"), modified: Number(mtime) };
        this.#objects.set(key, object);
        this.#tell(`ObjectCreated:${client.how ?? "Put"}`, key, client, object);
        return object;
      });
    } finally {
      await Deno.remove(upload).catch(ignoreNotFound);
    }
  }

  /** Opens an object, if there is one. */
  async open(
    key: string,
  ): Promise<{ object: StoredObject; content: ReadableStream<Uint8Array> } | undefined> {
    const path = await this.#locate(key);
    const object = this.#objects.get(key);
    if (object === undefined) return undefined;
    try {
      return { object, content: (await Deno.open(path)).readable };
    } catch (error) {
      ignoreNotFound(error); // removed from the disk just now
    }
  }

  /** Removes an object. If there is none, the listener is not told. */
  async delete(key: string, client: Client): Promise<void> {
    const path = await this.#locate(key);
    await this.#alone(async () => {
      if (!this.#objects.has(key)) return;
      await Deno.remove(path).catch(ignoreNotFound);
      await this.#removeEmptyFolders(key);
      this.#objects.delete(key);
      this.#tell("ObjectRemoved:DeleteMarkerCreated", key, client);
    });
  }

  /** Compares the folder with the known objects. At the start, `tells` is false: the listener is told of nothing. */
  async scan(tells: boolean): Promise<void> {
    await this.#alone(async () => {
      await Deno.mkdir(this.#folder, { recursive: true });
      const gone = new Set(this.#objects.keys());
      const client = { sourceIp: DISK };
      for await (const [key, path] of walk(this.#folder)) {
        gone.delete(key);
        const object = await this.#examine(key, path);
        if (object === undefined) continue;
        this.#objects.set(key, object);
        if (tells) this.#tell("ObjectCreated:Put", key, client, object);
      }
      for (const key of gone) {
        this.#objects.delete(key);
        if (tells) this.#tell("ObjectRemoved:DeleteMarkerCreated", key, client);
      }
    });
  }

  /** The path of the file of an object, which no link leads elsewhere. */
  async #locate(key: string): Promise<string> {
    const path = pathOf(this.#folder, key);
    await Deno.mkdir(this.#folder, { recursive: true });
    await checkLinks(this.#folder, path);
    return path;
  }

  /** A file that is new or has changed. */
  async #examine(key: string, path: string): Promise<StoredObject | undefined> {
    const known = this.#objects.get(key);
    const isHidden = key.startsWith(".") || key.includes("/.");
    if (known === undefined && isHidden) return undefined;
    try {
      const { size, mtime } = await Deno.stat(path);
      const modified = Number(mtime);
      if (known?.modified === modified && known.size === size) return undefined;
      const hash = createHash("md5");
      for await (const _ of digest((await Deno.open(path)).readable, hash));
      return { key, size, etag: hash.digest("hex"), modified };
    } catch (error) {
      ignoreNotFound(error); // the next scan sees that it is gone
    }
  }

  #tell(
    eventName: ObjectChange["eventName"],
    key: string,
    { sourceIp }: Client,
    object?: StoredObject,
  ): void {
    const { size, etag } = object ?? {};
    this.#onChange({ eventName, key, size, etag, time: new Date(), sourceIp });
  }

  /** Runs one work after the other, so that a scan does not see half of a change. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {}); // The caller gets the error.
    return result;
  }

  /** A bucket has no folders, so that empty folders are removed. */
  async #removeEmptyFolders(key: string): Promise<void> {
    const parts = key.split("/").slice(0, -1);
    for (; parts.length > 0; parts.pop()) {
      try {
        await Deno.remove(join(this.#folder, ...parts));
      } catch {
        return; // it holds something
      }
    }
  }
}

/** Moves a complete upload to its place. */
async function makeRoom(key: string, path: string, upload: string): Promise<void> {
  try {
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.rename(upload, path);
  } catch (error) {
    throw new ObjectKeyError(
      `Cannot store ${JSON.stringify(key)}: on disk, a file and a folder would have the same name`,
      { cause: error },
    );
  }
}

/** Passes content on, and through a hash. */
export async function* digest(
  content: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** The files below a folder, with their keys. Links are not followed. */
async function* walk(folder: string, prefix = ""): AsyncGenerator<[key: string, path: string]> {
  try {
    for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
      const path = join(folder, name);
      if (isDirectory) yield* walk(path, `${prefix}${name}/`);
      else if (isFile) yield [prefix + name, path];
    }
  } catch (error) {
    ignoreNotFound(error); // removed just now, or its name is not UTF-8
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
