/**
 * What results are made of: the tool itself, and the files of an application.
 *
 * @module
 */
import { resolve } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { digestOf, keyOf } from "../../programs/kept.ts";
import { ESBUILD } from "../bundler/find_esbuild.ts";
import type { Inputs } from "../packages/messages.ts";

let tool: string | undefined;

/**
 * Identifies the tool, esbuild, the Deno that runs them, and the kind of machine. A checkout is identified by the times and
 * sizes of its sources. Returns `undefined` if this process may not read them.
 */
export function identifyTool(): string | undefined {
  try {
    return tool ??= keyOf(
      config.version,
      ESBUILD,
      Deno.version,
      Deno.build.target,
      import.meta.dirname === undefined ? [] : sourcesIn(resolve(import.meta.dirname, "../..")),
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** The sources that decide what a result is. */
function sourcesIn(cli: string): string[] {
  const files = ["bundle", "lambda/isolation", "lambda/node", "manifest"].flatMap((room) =>
    filesIn(resolve(cli, room))
  );
  return files.filter((file) => /(?<!_test)\.[jt]s$/.test(file)).sort().map((file) => {
    const { mtime, ctime, size } = Deno.statSync(file); // Reading all of them would take long.
    return `${file} ${mtime?.getTime()} ${ctime?.getTime()} ${size}`;
  });
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesIn(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

const { NotFound, NotADirectory, IsADirectory, PermissionDenied } = Deno.errors;

/** The state of files, each read once. Make a new one for each question. */
export class FileStates {
  readonly #states = new Map<string, string>();
  readonly #names = new Map<string, readonly string[]>();

  /**
   * Describes the content of inputs.
   *
   * @throws {Error} If this process may not read a file.
   */
  contentOf({ files, versions, names }: Inputs): string {
    return keyOf(
      files.map((
        file,
      ) => [file, this.#once(`content ${file}`, () => contentOf(file))]),
      versions.map((file) => this.#stampOf(file)),
      names.map((pair) => this.#listOf(...pair)),
    );
  }

  /** Describes inputs by the times and sizes of the files, which is faster. */
  stampsOf({ files, versions, names }: Inputs): readonly string[] {
    return [
      ...files.map((file) => this.#stampOf(file)),
      ...versions.map((file) => this.#stampOf(file)),
      ...names.map((pair) => this.#listOf(...pair)),
    ];
  }

  /** Whether no file has changed since a time. */
  areOlder({ files }: Inputs, time: number): boolean {
    return files.every((file) => {
      const state = this.#once(`time ${file}`, () => {
        const { mtime, ctime } = Deno.statSync(file);
        return `${Math.max(mtime?.getTime() ?? Infinity, ctime?.getTime() ?? 0)}`;
      });
      return state === ABSENT || Number(state) < time - 10; // The clock of the file system may be some milliseconds late.
    });
  }

  #stampOf(file: string): string {
    return this.#once(`stamp ${file}`, () => {
      const { mtime, ctime, size, ino } = Deno.statSync(file);
      return `${mtime?.getTime()} ${ctime?.getTime()} ${size} ${ino}`;
    });
  }

  /** Lists the names in a folder that begin as given, and the packages in scopes. */
  #listOf(folder: string, start: string): string {
    let names = this.#names.get(folder);
    if (names === undefined) this.#names.set(folder, names = namesIn(folder));
    return names.filter((name) => name.startsWith(start) || `${name}.` === start).join("/");
  }

  #once(key: string, read: () => string): string {
    let state = this.#states.get(key);
    if (state === undefined) this.#states.set(key, state = ifThere(read) ?? ABSENT);
    return state;
  }
}

function contentOf(file: string): string {
  const { isFile } = Deno.statSync(file);
  return isFile ? digestOf(Deno.readFileSync(file)) : "no file"; // Reading a pipe would not end.
}

const ABSENT = "absent";

/** Lists the names in a folder, and those in the scopes of packages. */
function namesIn(folder: string): readonly string[] {
  const list = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name).sort();
  const names = ifThere(() => list(folder));
  if (names === undefined) return [];
  return names.flatMap((name) =>
    name.startsWith("@")
      ? [name, ...(ifThere(() => list(`${folder}/${name}`)) ?? []).map((one) => `${name}/${one}`)]
      : [name]
  );
}

function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const isAbsent = [NotFound, NotADirectory, IsADirectory].some((type) => error instanceof type);
    // A file that only another user may read cannot be bundled either.
    if (isAbsent || error instanceof PermissionDenied) return undefined;
    throw error;
  }
}
