import { basename, dirname } from "node:path";
import { digestOf, keyOf } from "../../programs/kept.ts";
import type { Inputs } from "../packages/types.ts";

/** The state of inputs without their content. If it is the same, so is the content. */
export interface Stamps {
  /** Of each file. */
  readonly files: readonly string[];
  /** Of everything that decides which files are imported. */
  readonly places: readonly string[];
}

/** The difference that the clock of a file system may have, in milliseconds. */
const LATE = 10;

const { NotFound, NotADirectory, PermissionDenied } = Deno.errors;

/** The state of a file that does not exist. */
export const ABSENT = "absent";

/**
 * The state of files at one time: each is read once. Make a new one for each question. No time of a file can be set that is not
 * in its stamp: `touch` sets the time of the content, and the system that of the change.
 */
export class FileStates {
  /** The time before the first file was read, in milliseconds. */
  readonly time: number = Date.now();
  readonly #states = new Map<string, string>();
  readonly #names = new Map<string, readonly Name[]>();

  /** Identifies inputs by their content. Returns `undefined` if this process may not read a file, as in a deployment. */
  contentOf({ files, versions, names, paths }: Inputs): string | undefined {
    return unlessForbidden(() =>
      keyOf(
        files.map((file) => [file, this.#once(`content ${file}`, () => contentOf(file))]),
        versions.map((file) => this.#stampOf(file)),
        names.map(([folder, start]) => this.#listOf(folder, start)),
        paths.map((path) => this.#once(`path ${path}`, () => Deno.realPathSync(path))),
      )
    );
  }

  /** Describes inputs without reading them, which is faster. Returns `undefined` if this process may not see a file. */
  stampsOf({ files, versions, names, paths }: Inputs): Stamps | undefined {
    return unlessForbidden(() => ({
      files: files.map((file) => this.#stampOf(file)),
      places: [
        ...versions.map((file) => this.#stampOf(file)),
        ...names.map(([folder, start]) =>
          isWhole(folder, start) ? this.#stampOf(folder) : this.#listOf(folder, start)
        ),
        ...paths.map((path) => this.#identityOf(path)),
      ],
    }));
  }

  /** Whether all files are there, and none has changed since a time. */
  areFilesOlder({ files }: Pick<Inputs, "files">, time: number): boolean {
    return files.every((file) => this.#timeOf(file) < time - LATE);
  }

  /** Whether those files that have changed since a time do not have an older time. */
  areTimesTrue({ files }: Inputs, time: number): boolean {
    return files.every((file) =>
      this.#timeOf(file) < time - LATE || Number.parseInt(this.#stampOf(file)) >= time - LATE
    );
  }

  /** Whether nothing was added to the folders or removed from them since a time. */
  arePlacesOlder({ names, paths }: Inputs, time: number): boolean {
    const folders = new Set([
      ...names.map(([folder]) => folder),
      ...names.flatMap(([folder]) => this.#scopesIn(folder)),
      ...paths.map((path) => dirname(path)),
    ]);
    return [...folders].every((folder) => {
      let above = folder;
      while (this.#timeOf(above) === Infinity && above !== dirname(above)) above = dirname(above);
      return this.#timeOf(above) < time - LATE;
    });
  }

  #stampOf(file: string): string {
    return this.#once(`stamp ${file}`, () => {
      const { mtime, ctime, size, ino, isSymlink } = Deno.lstatSync(file);
      const stamp = `${mtime?.getTime()} ${size} ${ino} ${ctime?.getTime()}`;
      return isSymlink ? `${stamp} ${Deno.readLinkSync(file)}` : stamp;
    });
  }

  /** The time of the last change in milliseconds; `Infinity` if the file does not exist. */
  #timeOf(file: string): number {
    return Number(
      this.#once(`time ${file}`, () => {
        const { mtime, ctime } = Deno.lstatSync(file);
        return `${Math.max(mtime?.getTime() ?? Infinity, ctime?.getTime() ?? 0)}`;
      }).replace(ABSENT, "Infinity"),
    );
  }

  /** The path without links, and the folder or file itself: another one may take its place. */
  #identityOf(path: string): string {
    return this.#once(`identity ${path}`, () => {
      return `${Deno.statSync(path).ino} ${Deno.realPathSync(path)}`;
    });
  }

  /** Lists the names in a folder that begin as given, and the packages in scopes. */
  #listOf(folder: string, start: string): string {
    return this.#namesIn(folder)
      .filter(({ name }) => name.startsWith(start) || `${name}.` === start)
      .map(({ name, target }) => name + target).join("/");
  }

  #scopesIn(folder: string): string[] {
    if (basename(folder) !== "node_modules") return [];
    return this.#namesIn(folder).filter(({ name }) => /^@[^/]+$/.test(name))
      .map(({ name }) => `${folder}/${name}`);
  }

  #namesIn(folder: string): readonly Name[] {
    let names = this.#names.get(folder);
    if (names === undefined) this.#names.set(folder, names = namesIn(folder));
    return names;
  }

  #once(key: string, read: () => string): string {
    let state = this.#states.get(key);
    if (state === undefined) this.#states.set(key, state = ifThere(read) ?? ABSENT);
    return state;
  }
}

/** Whether a stamp is that of a file, and not of a link or of nothing. */
export function isFile(stamp: string): boolean {
  return stamp.split(" ").length === 4;
}

/** The part of a stamp by which esbuild tells versions of a file apart. */
export function timeAndSizeOf(stamp: string): string {
  return stamp.slice(0, stamp.lastIndexOf(" "));
}

/** Whether all names in a folder count, whose time then tells whether they are the same. The scopes in `node_modules` have more. */
function isWhole(folder: string, start: string): boolean {
  return start === "" && basename(folder) !== "node_modules";
}

function contentOf(file: string): string {
  const { isFile } = Deno.statSync(file);
  const content = isFile ? digestOf(Deno.readFileSync(file)) : "no file"; // Reading a pipe would not end.
  return Deno.lstatSync(file).isSymlink ? `${content} ${Deno.readLinkSync(file)}` : content;
}

/** A name in a folder, and where it leads if it is a link. */
interface Name {
  readonly name: string;
  readonly target: string;
}

/** Lists the names in a folder, and those in the scopes of packages. Tools have their own hidden folders in `node_modules`. */
function namesIn(folder: string): readonly Name[] {
  const isOfPackages = basename(folder) === "node_modules";
  const list = (path: string, scope: string): Name[] =>
    (ifThere(() => [...Deno.readDirSync(path)]) ?? [])
      .filter(({ name }) => !(isOfPackages && name.startsWith(".")))
      .flatMap(({ name, isSymlink }) => [
        {
          name: scope + name,
          target: isSymlink ? ` ${ifThere(() => Deno.readLinkSync(`${path}/${name}`))}` : "",
        },
        ...name.startsWith("@") ? list(`${path}/${name}`, `${name}/`) : [],
      ]);
  return list(folder, "").sort((a, b) => a.name < b.name ? -1 : 1);
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const isAbsent = [NotFound, NotADirectory].some((type) => error instanceof type);
    // A file that only another user may read cannot be bundled either.
    if (isAbsent || error instanceof PermissionDenied) return undefined;
    throw error;
  }
}

export function areEqual(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}

export function areSame(some: Stamps | undefined, others: Stamps | undefined): boolean {
  return some !== undefined && others !== undefined && areEqual(some.files, others.files) &&
    areEqual(some.places, others.places);
}

function unlessForbidden<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
