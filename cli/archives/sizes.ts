/**
 * The sizes of zips and of their parts, and AWS Lambda's limits.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @module
 */
import { decode } from "@jridgewell/sourcemap-codec";
import type { ArchiveFile } from "./archive.ts";

/** The largest zip that Lambda takes directly, in bytes. */
export const MAX_ZIP = 50 * 1024 * 1024;

/** The largest size of a function with its layers, unzipped, in bytes. */
export const MAX_UNZIPPED = 250 * 1024 * 1024;

/** The sizes of an archive, in bytes. */
export interface Sizes {
  /** The content of the archive, such as `the layer for arm64`. */
  readonly name: string;
  /** The size of the zip. */
  readonly zipped: number;
  /** The size of its files. */
  readonly unzipped: number;
}

/** A function, and whether it has one of the layers. */
export interface FunctionSizes extends Sizes {
  readonly hasLayer: boolean;
  readonly contents: Contents;
}

/**
 * Checks archives against Lambda's limits.
 *
 * @param layers The layers.
 * @param functions The functions.
 * @throws {RangeError} If an archive is over a limit; the message names each such archive, and its largest packages.
 */
export function checkLimits(layers: readonly Sizes[], functions: readonly FunctionSizes[]): void {
  const problems: string[] = [];
  const all: readonly (Sizes & Partial<FunctionSizes>)[] = [...layers, ...functions];
  for (const { name, zipped, contents } of all) {
    if (zipped > MAX_ZIP) {
      problems.push(
        `${name} has ${formatSize(zipped)} zipped: expected at most ${formatSize(MAX_ZIP)}` +
          largestOf(contents),
      );
    }
  }
  const layer = Math.max(0, ...layers.map(({ unzipped }) => unzipped));
  for (const { name, unzipped, hasLayer, contents } of functions) {
    const sum = hasLayer ? layer + unzipped : unzipped;
    if (sum > MAX_UNZIPPED) {
      problems.push(
        `${name} has ${formatSize(sum)} unzipped${hasLayer ? " with its layer" : ""}: ` +
          `expected at most ${formatSize(MAX_UNZIPPED)}${largestOf(contents)}`,
      );
    }
  }
  if (problems.length > 0) {
    throw new RangeError(`Cannot bundle archives that Lambda refuses: ${problems.join("; ")}`);
  }
}

/** Names the largest packages in a zip. */
function largestOf(contents: Contents | undefined): string {
  const packages = contents?.files.filter(({ name }) => name.includes("node_modules/")) ?? [];
  const list = packages.slice(0, 3).map(({ name, size }) => `${name} has ${formatSize(size)}`);
  return list.length === 0 ? "" : ` (${list.join(", ")})`;
}

/** Writes a size for people, such as `41.4 MB`. The units are powers of 1024, as Lambda counts. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

/** A part of a zip. */
export interface Part {
  /** The path of the file, or the name of the source or the npm package. */
  readonly name: string;
  /** The size in bytes. */
  readonly size: number;
}

/** The parts of a zip. */
export interface Contents {
  /** The files, the largest first; the files of a cache and of a package are one part each. */
  readonly files: readonly Part[];
  /** The sources and npm packages of the function's code, the largest first. */
  readonly sources: readonly Part[];
}

/** Lists the parts of a zip: its files, and when they are read, the sources of the function's code. */
export function contentsOf(files: readonly ArchiveFile[]): Contents {
  return {
    files: sum(files.map(({ path, data }) => ({
      name: path.replace(
        /^(mate\/cache-[^/]+|(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\/.*$/,
        "$1",
      ),
      size: data.length,
    }))),
    get sources() {
      const textOf = (path: string) => {
        const file = files.find((item) => item.path === path);
        return file && new TextDecoder().decode(file.data);
      };
      const path = ["index.mjs", "function.mjs"]
        .find((name) => files.some(({ path }) => path === `${name}.map`));
      return path === undefined ? [] : sum(sourcesOf(textOf(path)!, textOf(`${path}.map`)!));
    },
  };
}

/** Counts the bytes of code that come from each source, by the positions in the source map. */
function sourcesOf(code: string, map: string): Part[] {
  const { sources, mappings }: { sources: string[]; mappings: string } = JSON.parse(map);
  const lines = decode(mappings);
  const encoder = new TextEncoder();
  const parts = [...sources.map(packageOf), "(bundler)"].map((name) => ({ name, size: 0 }));
  let source = -1; // the bundler wrote the code before the first position
  for (const [index, text] of code.split("\n").entries()) {
    const line = index === 0 ? text : `\n${text}`;
    const isAscii = /^[\0-\x7f]*$/.test(line); // There are many positions, and one letter has one byte in most lines.
    let start = 0;
    for (const [column, next = source] of [...lines[index] ?? [], [text.length] as const]) {
      const end = column + line.length - text.length;
      parts.at(source)!.size += isAscii
        ? end - start
        : encoder.encode(line.slice(start, end)).length;
      start = end;
      source = next;
    }
  }
  return parts.filter(({ size }) => size > 0);
}

/** Returns the npm package of a source, or the source. */
function packageOf(source: string): string {
  const [, name] = /^(npm:(?:@[^/]+\/)?[^/]+)\//.exec(source) ??
    /^https:\/\/jsr\.io\/(@[^/]+\/[^/]+)\//.exec(source) ??
    /^.*(node_modules\/(?:@[^/]+\/)?[^/]+)\//s.exec(source) ?? [];
  return name ?? source;
}

function sum(parts: Iterable<Part>): Part[] {
  const sizes = new Map<string, number>();
  for (const { name, size } of parts) sizes.set(name, (sizes.get(name) ?? 0) + size);
  return [...sizes].map(([name, size]) => ({ name, size })).sort((a, b) => b.size - a.size);
}
