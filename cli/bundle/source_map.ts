import { decode, encode } from "@jridgewell/sourcemap-codec";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Text that was removed from a line of the bundler's output. */
export interface Removal {
  /** The line, from 0. */
  readonly line: number;
  /** The column of the first removed character, from 0. */
  readonly column: number;
  /** The number of removed characters. */
  readonly length: number;
}

/**
 * Makes the source map that is shipped with a bundle: without the sources' text, and without paths of this machine.
 *
 * @param root The folder of the application. Its sources are named relative to it.
 */
export function shippedMap(
  map: string,
  file: string,
  root: string,
  removals: readonly Removal[],
): string {
  const { sources, mappings } = JSON.parse(map);
  const lines = decode(mappings);
  for (const { line, column, length } of removals) {
    for (const segment of lines[line] ?? []) if (segment[0] > column) segment[0] -= length;
  }
  return JSON.stringify({
    version: 3,
    sources: sources.map((source: string) => nameOf(source, dirname(file), root)),
    names: [],
    mappings: encode(lines),
  });
}

/** Names a source: a path in the application, an npm package with its version, or a URL. */
function nameOf(source: string, folder: string, root: string): string {
  if (/^(https?|jsr|npm|data|node):/.test(source)) return source;
  const path = source.startsWith("file:") ? fileURLToPath(source) : resolve(folder, source);
  const npm = /\/npm\/[^/]+\/((?:@[^/]+\/)?[^/]+)\/(\d[^/]*)\/(.*)$/.exec(path);
  const name = relative(root, path).replaceAll("\\", "/");
  if (npm && name.startsWith("../")) return `npm:${npm[1]}@${npm[2]}/${npm[3]}`;
  // A path that climbs to the root of the file system would tell where things are on this machine.
  const climb = /^(?:\.\.\/)+/.exec(name)?.[0] ?? "";
  return resolve(root, climb) === "/" && root !== "/"
    ? name.slice(name.lastIndexOf("/") + 1)
    : name;
}
