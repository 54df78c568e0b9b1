import { decode, encode } from "@jridgewell/sourcemap-codec";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import jsTokens from "js-tokens";

/** The bundler's output without the paths of this machine. */
export interface BundledCode {
  readonly code: string;
  /** The names of the exports; `undefined` for CommonJS, because its exports are known only at run time. */
  readonly exports: readonly string[] | undefined;
  /** The removals within lines of code. A line that is removed as a whole becomes empty, so later lines keep their numbers. */
  readonly removals: readonly Removal[];
}

/**
 * Reads the bundler's output, and removes the paths of this machine.
 *
 * - The bundler writes a comment with the path before each module. The comment is removed. Comments at the end of the code
 *   are about licences, and stay.
 * - The bundler names the function around a CommonJS module by the path of the module. Only the name of the file stays.
 */
export function readBundledCode(text: string): BundledCode {
  const pieces: string[] = [];
  const tokens: string[] = [];
  const paths: number[] = [];
  const removals: Removal[] = [];
  let [line, column] = [0, 0];
  let end = 0; // of the code; only comments follow
  for (const { type, value } of jsTokens(text)) {
    // Only a comment with a path stands at the start of a line before the end of the code.
    if (value.startsWith("// ") && [undefined, "\n"].includes(pieces.at(-1))) {
      paths.push(pieces.length);
    }
    const isName = type === "StringLiteral" && isWrapped(tokens);
    const piece = isName ? value.replace(/^(.).*\//, "$1") : value;
    pieces.push(piece);
    if (piece !== value) removals.push({ line, column, length: value.length - piece.length });
    const breaks = value.split("\n");
    line += breaks.length - 1;
    column = (breaks.length > 1 ? 0 : column) + breaks.at(-1)!.length;
    if (/Comment$|^WhiteSpace$|^LineTerminatorSequence$/.test(type)) continue;
    tokens.push(value);
    end = pieces.length;
  }
  for (const index of paths) if (index < end) pieces[index] = "";
  return { code: pieces.join(""), exports: exportsOf(tokens), removals };
}

/** Whether the next token names a function that wraps a module: `__commonJS({ "a/b.cjs"() {`. */
function isWrapped(tokens: readonly string[]): boolean {
  return /^__(commonJS|esm)\d* \( \{( async)?$/.test(
    tokens.slice(tokens.at(-1) === "async" ? -4 : -3).join(" "),
  );
}

/** The names in the export statement at the end. */
function exportsOf(tokens: readonly string[]): string[] | undefined {
  const [kind, ...list] = tokens.slice(tokens.lastIndexOf("export") + 1);
  if (kind === "default") return undefined; // the bundler writes `export default` for CommonJS only
  if (kind !== "{" || !list.includes("}")) return [];
  const names = list.slice(0, list.indexOf("}"));
  return names.filter((name, index) => name !== "," && [",", undefined].includes(names[index + 1]));
}

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
 * Makes the source map in a zip: without the text of the sources, and without paths of this machine.
 *
 * @param root The folder of the application. The paths of its sources are relative to this folder.
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
  // If the path goes up to the root of the file system, it contains the folders of this machine.
  const climb = /^(?:\.\.\/)+/.exec(name)?.[0] ?? "";
  return resolve(root, climb) === "/" && root !== "/"
    ? name.slice(name.lastIndexOf("/") + 1)
    : name;
}
