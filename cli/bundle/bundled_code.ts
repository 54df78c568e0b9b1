import jsTokens from "js-tokens";
import type { Removal } from "./source_map.ts";

/** A bundled module. */
export interface BundledCode {
  /** The JavaScript. */
  readonly code: string;
  /** The names that it exports; `undefined` for CommonJS, whose exports are known only at run time. */
  readonly exports: readonly string[] | undefined;
}

/** The bundler's output without the paths of this machine. */
export interface ReadCode extends BundledCode {
  /** The text that was removed within lines of code. Whole lines become empty, so that the lines keep their numbers. */
  readonly removals: readonly Removal[];
}

/**
 * Reads the bundler's output, and removes the paths of this machine from it. The bundler writes a comment with the path before
 * each module, and names the functions that wrap CommonJS modules after paths; of these the file's name stays. The comments
 * on licences at the end stay.
 */
export function readBundledCode(text: string): ReadCode {
  const pieces: string[] = [];
  const tokens: string[] = [];
  const paths: number[] = [];
  const removals: Removal[] = [];
  let [line, column] = [0, 0];
  let end = 0; // of the code; only comments follow
  for (const { type, value } of jsTokens(text)) {
    // A comment with a path stands at the start of a line. Other such comments are indented or follow the code.
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

/** Returns the names in the export statement at the end. */
function exportsOf(tokens: readonly string[]): string[] | undefined {
  const [kind, ...list] = tokens.slice(tokens.lastIndexOf("export") + 1);
  if (kind === "default") return undefined; // the bundler writes `export default` for CommonJS only
  if (kind !== "{" || !list.includes("}")) return [];
  const names = list.slice(0, list.indexOf("}"));
  return names.filter((name, index) => name !== "," && [",", undefined].includes(names[index + 1]));
}
