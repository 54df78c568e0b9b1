import { join } from "node:path";
import { findLink, refuseLinks } from "../../rules/links.ts";
import { pathOf, stateOf } from "./object_store.ts";

/** How long a file must have been left alone, in milliseconds: the clock of a file system is not finer. */
const QUIET = 20;

/** The folder of a bucket: a copy of each object as a file, and the files that a person puts there. */
export class ObjectFiles {
  /**
   * @param data The folder that may be a part of a clone. Nothing behind a link below it is a file of the bucket.
   * @param folder The folder of the bucket.
   */
  constructor(private readonly data: string, private readonly folder: string) {}

  /** Tells the state of the file of an object. Returns `undefined` if there is none. */
  async stateOf(key: string): Promise<string | undefined> {
    const path = await this.#locate(key);
    const info = path === undefined ? path : await Deno.lstat(path).catch(ignoreMissing);
    return info?.isFile ? stateOf(info) : undefined;
  }

  /** Reads a file, if it has this state, and keeps the state meanwhile. Otherwise, reading throws. */
  async *read(key: string, state: string): AsyncGenerator<Uint8Array> {
    const path = await this.#locate(key);
    const file = path && await Deno.open(path).catch(ignoreMissing);
    if (!file) throw new UnsteadyError();
    const age = Date.now() - Number(state.split(" ")[0]);
    if (age >= 0 && age < QUIET) await new Promise((resolve) => setTimeout(resolve, QUIET));
    try {
      const check = async () => {
        if (stateOf(await file.stat()) !== state) throw new UnsteadyError();
      };
      await check();
      for (let chunk = new Uint8Array(65_536);; chunk = new Uint8Array(65_536)) {
        const length = await file.read(chunk);
        if (length === null) break;
        yield chunk.subarray(0, length);
      }
      await check();
    } finally {
      file.close();
    }
  }

  /** Makes the folders of the file of an object. Returns its path, unless a link, a folder or a file is in the way. */
  async makeRoom(key: string): Promise<string | undefined> {
    const path = await this.#locate(key);
    if (path === undefined) return undefined;
    try {
      await Deno.mkdir(join(path, ".."), { recursive: true });
      return (await Deno.lstat(path)).isFile ? path : undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return path;
      if ((error as { code?: string }).code === "ENOSPC") throw error;
      return undefined; // A file has the name of a folder, or the system does not allow the name.
    }
  }

  /** Removes the file of an object. Then removes empty folders, because a bucket has no folders. */
  async remove(key: string): Promise<void> {
    const path = await this.#locate(key);
    if (path === undefined) return;
    await Deno.remove(path).catch(ignoreMissing);
    for (const parts = key.split("/").slice(0, -1); parts.length > 0; parts.pop()) {
      try {
        await Deno.remove(join(this.folder, ...parts));
      } catch {
        return; // The folder is not empty.
      }
    }
  }

  /** Lists the keys of the files. Makes the folder if there is none. Ignores links. */
  async *walk(): AsyncGenerator<string> {
    await refuseLinks(this.data, this.folder);
    await Deno.mkdir(this.folder, { recursive: true });
    yield* walk(this.folder);
  }

  /** Returns the path of the file of an object. Returns `undefined` if no file can have the name, or behind a link. */
  async #locate(key: string): Promise<string | undefined> {
    const path = pathOf(this.folder, key);
    return path && await findLink(this.data, path) === undefined ? path : undefined;
  }
}

/** A file changes while it is read. The next scan reads it again. */
export class UnsteadyError extends Error {}

/** Does nothing if the file does not exist, or if a file has the name of its folder. */
function ignoreMissing(error: unknown): undefined {
  const { NotADirectory, NotFound } = Deno.errors;
  if (!(error instanceof NotADirectory || error instanceof NotFound)) throw error;
}

async function* walk(folder: string, prefix = ""): AsyncGenerator<string> {
  try {
    for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
      if (isDirectory) yield* walk(join(folder, name), `${prefix}${name}/`);
      else if (isFile) yield prefix + name;
    }
  } catch (error) {
    ignoreMissing(error); // The folder has just been removed, or its name is not UTF-8.
  }
}
