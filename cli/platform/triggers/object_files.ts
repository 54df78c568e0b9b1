import { join } from "node:path";
import { hasLink, pathOf } from "./object_key.ts";
import { ignoreNotFound, type ObjectRecords, type StoredObject } from "./object_records.ts";

/** The content of the objects of a bucket: files of a folder, and files among the records for all other keys. */
export class ObjectFiles {
  readonly #folder: string;
  readonly #records: ObjectRecords;

  constructor(folder: string, records: ObjectRecords) {
    this.#folder = folder;
    this.#records = records;
  }

  /** Opens the content of an object. Returns `undefined` if a program has just removed the file. */
  async open(object: StoredObject): Promise<ReadableStream<Uint8Array> | undefined> {
    const path = await this.#locate(object);
    if (path === undefined) return undefined;
    try {
      return (await Deno.open(path)).readable;
    } catch (error) {
      ignoreNotFound(error);
    }
  }

  /** Removes the content of an object. Then removes empty folders, because a bucket has no folders. */
  async remove(object: StoredObject): Promise<void> {
    const path = await this.#locate(object);
    if (path === undefined) return;
    await Deno.remove(path).catch(ignoreNotFound);
    const parts = object.isHidden ? [] : object.key.split("/").slice(0, -1);
    for (; parts.length > 0; parts.pop()) {
      try {
        await Deno.remove(join(this.#folder, ...parts));
      } catch {
        return; // The folder is not empty.
      }
    }
  }

  /** Moves a complete upload to its place: a file with the name of the key, if there can be one. */
  async moveIn(upload: string, key: string): Promise<{ path: string; isHidden?: true }> {
    const path = pathOf(this.#folder, key);
    const hidden = this.#records.contentPath(key);
    await Deno.mkdir(this.#folder, { recursive: true });
    if (path !== undefined && !await hasLink(this.#folder, path)) {
      try {
        await Deno.mkdir(join(path, ".."), { recursive: true });
        await Deno.rename(upload, path);
        await Deno.remove(hidden).catch(ignoreNotFound);
        return { path };
      } catch {
        // A file and a folder would have the same name. If the disk fails, the next lines fail, too.
      }
    }
    await Deno.mkdir(join(hidden, ".."), { recursive: true });
    await Deno.rename(upload, hidden);
    return { path: hidden, isHidden: true };
  }

  /** Lists the files of the folder, with their keys. Makes the folder if there is none. Ignores links. */
  async *walk(): AsyncGenerator<[key: string, path: string]> {
    await Deno.mkdir(this.#folder, { recursive: true });
    yield* walk(this.#folder);
  }

  /** Returns the path of the content of an object, or `undefined` if a link leads to it. */
  async #locate({ key, isHidden }: StoredObject): Promise<string | undefined> {
    if (isHidden) return this.#records.contentPath(key);
    const path = pathOf(this.#folder, key)!;
    return await hasLink(this.#folder, path) ? undefined : path;
  }
}

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
