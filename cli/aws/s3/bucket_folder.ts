import { Buffer } from "node:buffer";
import { ObjectFiles, UnsteadyError } from "./object_files.ts";
import {
  checkKey,
  type Content,
  type ObjectRecord,
  ObjectStore,
  type StoredObject,
} from "./object_store.ts";

export interface ObjectChange {
  readonly eventName:
    | `ObjectCreated:${"Put" | "Copy" | "CompleteMultipartUpload"}`
    | "ObjectRemoved:DeleteMarkerCreated";
  readonly key: string;
  /** The object, unless it was removed. */
  readonly object: StoredObject | undefined;
  readonly sourceIp: string;
  /** The trace header of the request. */
  readonly traceHeader?: string | undefined;
}

/** The client that changes an object. */
export interface Client {
  readonly sourceIp: string;
  /** The trace header of the request. */
  readonly traceHeader?: string | undefined;
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
  /** The folder with the two others. No link is followed from this folder down. */
  readonly data: string;
  /** The objects as files. */
  readonly objects: string;
  /** The records and the contents of the objects. */
  readonly store: string;
}

/**
 * A bucket, whose objects are also the files of a folder. It reports each change once to one listener, whether a client or a
 * program on this machine made the change. Clients read and write the store. An object that a client writes is copied to
 * the folder, and a file that a program writes is copied to the store. So a reader sees one version of an object, whatever
 * happens meanwhile. A file whose name starts with a period is an object only if a client put it. If no file can have the
 * name of a key, such as `a//b`, the object is in the store only.
 */
export class BucketFolder {
  /** The records and the contents of the objects, and the parts of uploads. */
  readonly store: ObjectStore;
  readonly #files: ObjectFiles;
  #onChange = (_change: ObjectChange): void => {};
  readonly #objects: Map<string, ObjectRecord> = new Map();
  /** The states of the files when they were last equal to their objects. */
  readonly #seen: Map<string, string> = new Map();
  /** The numbers of the last changes of the keys. */
  readonly #changes: Map<string, number> = new Map();
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor({ data, objects, store }: BucketFolders) {
    this.store = new ObjectStore(data, store);
    this.#files = new ObjectFiles(data, objects);
  }

  /** Reads the records of the last run, and the files. Reports only the changes after that. */
  static async load(
    folders: BucketFolders,
    onChange: (change: ObjectChange) => void,
  ): Promise<BucketFolder> {
    const bucket = new BucketFolder(folders);
    const { objects, copies } = await bucket.store.read();
    for (const object of objects) {
      bucket.#objects.set(object.key, object);
      if (copies.has(object.content)) await bucket.#show(object); // The last run was killed before it could.
      else if (object.file !== undefined) bucket.#seen.set(object.key, object.file);
    }
    await bucket.scan();
    bucket.#onChange = onChange;
    return bucket;
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
    const written = await this.store.write(content);
    return await this.#alone(() => this.#replace(key, written, client));
  }

  /** Opens an object, if there is one. `check` may refuse the object before its file is open. */
  async open(
    key: string,
    check?: (object: StoredObject) => void,
  ): Promise<{ object: StoredObject; content: ReadableStream<Uint8Array> } | undefined> {
    checkKey(key);
    for (;;) {
      const object = this.#objects.get(key);
      if (object === undefined) return undefined;
      check?.(object);
      const content = await this.store.open(object.content);
      if (content !== undefined) return { object, content };
      if (this.#objects.get(key) !== object) continue; // A client has replaced the object meanwhile.
      throw new Error(`Cannot read the object "${key}": its content was removed. Put it again`);
    }
  }

  /** Removes an object. Does nothing if there is no object. */
  async delete(key: string, client: Client): Promise<void> {
    checkKey(key);
    await this.#alone(async () => {
      const object = this.#objects.get(key);
      client.check?.(object);
      if (object === undefined) return;
      // If the process is killed between the two, the next one removes the record. A file alone would be a new object.
      if (this.#seen.has(key)) await this.#files.remove(key);
      await this.#forget(object, client);
    });
  }

  /** Compares the folder with the known objects, and reports the changes. */
  async scan(): Promise<void> {
    const gone = new Set(this.#seen.keys());
    for await (const key of this.#files.walk()) {
      gone.delete(key);
      await this.#examine(key);
    }
    for (const key of gone) {
      await this.#alone(async () => {
        const object = this.#objects.get(key);
        if (object === undefined || !this.#seen.has(key)) return;
        if (await this.#files.stateOf(key) === undefined) await this.#forget(object, DISK);
      });
    }
  }

  /** Makes an object of a file, if the file has changed. A file that changes meanwhile is left to the next scan. */
  async #examine(key: string): Promise<void> {
    const state = await this.#files.stateOf(key);
    if (state === undefined || state === this.#seen.get(key)) return;
    if (!this.#objects.has(key) && /(^|\/)\./.test(key)) return;
    try {
      const written = await this.store.write(this.#files.read(key, state));
      await this.#alone(async () => {
        const isNew = state !== this.#seen.get(key) && state === await this.#files.stateOf(key);
        if (isNew) await this.#replace(key, written, DISK, state);
        else await this.store.drop(written.name); // A client has replaced the file.
      });
    } catch (error) {
      if (!(error instanceof UnsteadyError)) throw error;
    }
  }

  /** Makes content the object of a key: content of a client, or that of a file with a state. */
  async #replace(
    key: string,
    { name: content, size, etag }: Content,
    client: Client,
    state?: string,
  ): Promise<StoredObject> {
    const former = this.#objects.get(key);
    let file = state;
    let object: ObjectRecord;
    try {
      client.check?.(former);
      const modified = state === undefined ? Date.now() : Number(state.split(" ")[0]);
      if (state === undefined && await this.#files.makeRoom(key) !== undefined) {
        file = await this.store.copy(content);
      }
      object = { key, size, etag, modified, ...client.facts?.(), content, file };
      await this.store.record(object);
    } catch (error) {
      await this.store.drop(content);
      throw error;
    }
    this.#objects.set(key, object);
    this.#seen.delete(key);
    if (state === undefined) await this.#show(object);
    else this.#seen.set(key, state);
    const { how = "Put" } = client;
    this.#report(`ObjectCreated:${how}`, key, client, object);
    if (former !== undefined) await this.store.drop(former.content);
    return object;
  }

  /** Moves the copy of an object into the folder. If a program is in the way, the copy waits for the next run. */
  async #show({ key, content, file }: ObjectRecord): Promise<void> {
    const path = await this.#files.makeRoom(key);
    const isShown = path !== undefined &&
      await Deno.rename(this.store.copyOf(content), path).then(() => true, () => false);
    const state = isShown ? file : await this.#files.stateOf(key);
    if (state !== undefined) this.#seen.set(key, state);
  }

  async #forget(object: ObjectRecord, client: Client): Promise<void> {
    const { key, content } = object;
    await this.store.forget(key);
    this.#objects.delete(key);
    this.#seen.delete(key);
    this.#report("ObjectRemoved:DeleteMarkerCreated", key, client);
    await this.store.drop(content);
  }

  #report(
    eventName: ObjectChange["eventName"],
    key: string,
    { sourceIp, traceHeader }: Client,
    object?: StoredObject,
  ): void {
    this.#changes.set(key, ++this.#count);
    this.#onChange({ eventName, key, object, sourceIp, traceHeader });
  }

  /** Makes one change after the other. Reading does not wait. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {}); // The caller gets the error.
    return result;
  }
}
