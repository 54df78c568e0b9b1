import { Buffer } from "node:buffer";
import { createHash, type Hash } from "node:crypto";
import { ObjectFiles } from "./object_files.ts";
import { checkKey } from "./object_key.ts";
import { ignoreNotFound, ObjectRecords, type StoredObject } from "./object_records.ts";

export type { StoredObject } from "./object_records.ts";

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
  /** Returns what the service keeps besides the content. It is called when the content has been read. */
  readonly facts?: () => Partial<StoredObject>;
}

/** The client that changes files in the folder of a bucket. */
const DISK: Client = { sourceIp: "127.0.0.1" };

/** The folders of a bucket. They must be on the same disk. */
export interface BucketFolders {
  /** The objects as files. */
  readonly objects: string;
  /** The records of the objects. */
  readonly records: string;
  /** Incomplete objects. */
  readonly uploads: string;
}

/**
 * A bucket whose objects are the files of a folder. It reports each change once to one listener, whether a client or a
 * program on this machine made the change. A file whose name starts with a period is an object only if a client put it. If
 * no file can have the name of a key, such as `a//b`, the object is kept among the records.
 */
export class BucketFolder {
  readonly #uploads: string;
  readonly #onChange: (change: ObjectChange) => void;
  readonly #objects: Map<string, StoredObject> = new Map();
  readonly #records: ObjectRecords;
  readonly #files: ObjectFiles;
  /** The records of the last run, until the first scan has used them. */
  #former: ReadonlyMap<string, StoredObject> | undefined;
  /** The numbers of the last changes of the keys. */
  readonly #changes: Map<string, number> = new Map();
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    { objects, records, uploads }: BucketFolders,
    onChange: (change: ObjectChange) => void,
  ) {
    this.#records = new ObjectRecords(records);
    this.#files = new ObjectFiles(objects, this.#records);
    this.#uploads = uploads;
    this.#onChange = onChange;
  }

  /** Lists the objects by key, in the order of the bytes of UTF-8. */
  list(): readonly StoredObject[] {
    const bytes = ({ key }: StoredObject) => Buffer.from(key);
    return [...this.#objects.values()].map((object) => [bytes(object), object] as const)
      .sort(([a], [b]) => Buffer.compare(a, b)).map(([, object]) => object);
  }

  /** Returns a number that grows with every change of a key. */
  changeOf(key: string): number {
    return this.#changes.get(key) ?? 0;
  }

  find(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /**
   * Stores an object.
   *
   * @throws {ObjectKeyError} If no object can have the key. The other methods throw this error too.
   */
  async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    client: Client,
  ): Promise<StoredObject> {
    checkKey(key);
    await Deno.mkdir(this.#uploads, { recursive: true });
    const upload = await Deno.makeTempFile({ dir: this.#uploads });
    try {
      const hash = createHash("md5");
      const file = await Deno.open(upload, { write: true });
      await ReadableStream.from(digest(content, hash)).pipeTo(file.writable);
      return await this.#alone(async () => {
        client.check?.(this.#objects.get(key));
        const { path, isHidden } = await this.#files.moveIn(upload, key);
        const { size, mtime } = await Deno.stat(path);
        const { how = "Put", facts } = client;
        const modified = Number(mtime);
        const object = { key, size, etag: hash.digest("hex"), modified, isHidden, ...facts?.() };
        await this.#records.write(object);
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
    checkKey(key);
    const object = this.#objects.get(key);
    if (object === undefined) return undefined;
    const content = await this.#files.open(object);
    return content && { object, content };
  }

  /** Removes an object. Does nothing if there is no object. */
  async delete(key: string, client: Client): Promise<void> {
    checkKey(key);
    await this.#alone(async () => {
      const object = this.#objects.get(key);
      client.check?.(object);
      if (object === undefined) return;
      await this.#files.remove(object);
      await this.#records.remove(key);
      this.#objects.delete(key);
      this.#report("ObjectRemoved:DeleteMarkerCreated", key, client);
    });
  }

  /** Compares the folder with the known objects, and reports the changes if `reports` is true. */
  async scan(reports: boolean): Promise<void> {
    await this.#alone(async () => {
      this.#former ??= await this.#readRecords();
      const gone = new Set(this.#objects.keys());
      for await (const [key, path] of this.#files.walk()) {
        gone.delete(key);
        const object = await this.#examine(key, path);
        if (object === undefined) continue;
        if (this.#former.get(key) !== object) await this.#records.remove(key);
        this.#objects.set(key, object);
        if (reports) this.#report("ObjectCreated:Put", key, DISK, object);
      }
      for (const key of this.#former.keys()) {
        if (!this.#objects.has(key)) await this.#records.remove(key);
      }
      this.#former = new Map();
      for (const key of gone) {
        if (this.#objects.get(key)!.isHidden) continue;
        await this.#records.remove(key);
        this.#objects.delete(key);
        if (reports) this.#report("ObjectRemoved:DeleteMarkerCreated", key, DISK);
      }
    });
  }

  /** Reads the records of the last run. Restores the objects that are not in the folder of the bucket. */
  async #readRecords(): Promise<ReadonlyMap<string, StoredObject>> {
    const records = await this.#records.read();
    for (const [key, object] of records) {
      if (object.isHidden) this.#objects.set(key, object);
    }
    return records;
  }

  /** Returns the object of a file, or `undefined` if nothing has changed. */
  async #examine(key: string, path: string): Promise<StoredObject | undefined> {
    const known = this.#objects.get(key);
    const former = this.#former?.get(key);
    const isDotFile = key.startsWith(".") || key.includes("/.");
    if (known === undefined && former === undefined && isDotFile) return undefined;
    try {
      const { size, mtime } = await Deno.stat(path);
      const modified = Number(mtime);
      const isFileOf = (object?: StoredObject) =>
        object?.modified === modified && object.size === size;
      if (isFileOf(known)) return undefined;
      if (isFileOf(former)) return former;
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
    this.#changes.set(key, ++this.#count);
    this.#onChange({ eventName, key, object, time: new Date(), sourceIp });
  }

  /** Runs one piece of work after the other, so that a scan never sees half of a change. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {}); // The caller gets the error.
    return result;
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
