import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import { ObjectKeyError, pathOf, refuseLinks } from "./object_key.ts";

/** The header fields that Amazon S3 stores with an object, by name in lower case. */
export type StoredFields = Readonly<Record<string, string>>;

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** The MD5 digest of the content, in hexadecimal. */
  readonly etag: string;
  /** The time of the last change, in milliseconds. */
  readonly modified: number;
  readonly fields?: StoredFields | undefined;
}

export interface ObjectChange {
  readonly eventName:
    | `ObjectCreated:${"Put" | "Copy" | "CompleteMultipartUpload"}`
    | "ObjectRemoved:DeleteMarkerCreated";
  readonly key: string;
  /** The object, unless it was removed. */
  readonly object: StoredObject | undefined;
  readonly time: Date;
  readonly sourceIp: string;
}

/** The client that changes an object. */
export interface Client {
  readonly sourceIp: string;
  /** The operation that creates the object. The default is `Put`. */
  readonly how?: "Put" | "Copy" | "CompleteMultipartUpload";
  /** Throws if the client may not replace the current object. */
  readonly check?: (current: StoredObject | undefined) => void;
  readonly fields?: StoredFields | undefined;
}

/** The client that changes files in the folder of a bucket. */
const DISK: Client = { sourceIp: "127.0.0.1" };

/**
 * A bucket whose objects are the files of a folder. It reports each change once to one listener, whether a client or a
 * program on this machine made the change. A file whose name starts with a period is an object only if a client put it.
 */
export class BucketFolder {
  readonly #folder: string;
  readonly #uploads: string;
  readonly #onChange: (change: ObjectChange) => void;
  readonly #objects: Map<string, StoredObject> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  /** Makes a bucket. The folder for uploads keeps incomplete objects. It must be on the same disk as the bucket. */
  constructor(folder: string, uploads: string, onChange: (change: ObjectChange) => void) {
    this.#folder = folder;
    this.#uploads = uploads;
    this.#onChange = onChange;
  }

  list(): readonly StoredObject[] {
    return [...this.#objects.values()].sort((a, b) => a.key < b.key ? -1 : 1);
  }

  /**
   * Stores an object.
   *
   * @throws {ObjectKeyError} If no file can have the name of the key. The other methods throw this error too.
   */
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
        const { how = "Put", fields } = client;
        const object = { key, size, etag: hash.digest("hex"), modified: Number(mtime), fields };
        this.#objects.set(key, object);
        this.#report(`ObjectCreated:${how}`, key, client, object);
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
      ignoreNotFound(error); // A program has just removed the file.
    }
  }

  /** Removes an object. Does nothing if there is no object. */
  async delete(key: string, client: Client): Promise<void> {
    const path = await this.#locate(key);
    await this.#alone(async () => {
      if (!this.#objects.has(key)) return;
      await Deno.remove(path).catch(ignoreNotFound);
      await this.#removeEmptyFolders(key);
      this.#objects.delete(key);
      this.#report("ObjectRemoved:DeleteMarkerCreated", key, client);
    });
  }

  /** Compares the folder with the known objects, and reports the changes if `reports` is true. */
  async scan(reports: boolean): Promise<void> {
    await this.#alone(async () => {
      await Deno.mkdir(this.#folder, { recursive: true });
      const gone = new Set(this.#objects.keys());
      for await (const [key, path] of walk(this.#folder)) {
        gone.delete(key);
        const object = await this.#examine(key, path);
        if (object === undefined) continue;
        this.#objects.set(key, object);
        if (reports) this.#report("ObjectCreated:Put", key, DISK, object);
      }
      for (const key of gone) {
        this.#objects.delete(key);
        if (reports) this.#report("ObjectRemoved:DeleteMarkerCreated", key, DISK);
      }
    });
  }

  /** Returns the path of the file of an object. Throws if a link is in the path. */
  async #locate(key: string): Promise<string> {
    const path = pathOf(this.#folder, key);
    await Deno.mkdir(this.#folder, { recursive: true });
    await refuseLinks(this.#folder, path);
    return path;
  }

  /** Returns the object of a file, or `undefined` if nothing has changed. */
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
      ignoreNotFound(error); // The next scan reports the removal.
    }
  }

  #report(
    eventName: ObjectChange["eventName"],
    key: string,
    { sourceIp }: Client,
    object?: StoredObject,
  ): void {
    this.#onChange({ eventName, key, object, time: new Date(), sourceIp });
  }

  /** Runs one piece of work after the other, so that a scan never sees half of a change. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {}); // The caller gets the error.
    return result;
  }

  /** Removes empty folders, because a bucket has no folders. */
  async #removeEmptyFolders(key: string): Promise<void> {
    const parts = key.split("/").slice(0, -1);
    for (; parts.length > 0; parts.pop()) {
      try {
        await Deno.remove(join(this.#folder, ...parts));
      } catch {
        return; // The folder is not empty.
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

/** Passes content on and updates a hash with it. */
export async function* digest(
  content: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Lists the files below a folder, with their keys. Ignores links. */
async function* walk(folder: string, prefix = ""): AsyncGenerator<[key: string, path: string]> {
  try {
    for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
      const path = join(folder, name);
      if (isDirectory) yield* walk(path, `${prefix}${name}/`);
      else if (isFile) yield [prefix + name, path];
    }
  } catch (error) {
    ignoreNotFound(error); // The folder has just been removed, or its name is not UTF-8.
  }
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
