import jsTokens from "js-tokens";

/** A bundled module. */
export interface BundledCode {
  /** The JavaScript. */
  readonly code: string;
  /** The names that it exports; `undefined` for CommonJS, where code decides that. */
  readonly exports: readonly string[] | undefined;
}

/**
 * Reads what the bundler wrote, and takes out of it where the modules lay: that depends on the machine, and is nobody's
 * business. Such paths are in a comment before each module, and name functions that modules are wrapped in, of which the
 * file's name is left. Comments on licences, which come last, stay.
 *
 * @param text What the bundler wrote.
 * @returns The code, and what it exports.
 */
export function readBundledCode(text: string): BundledCode {
  const pieces: string[] = [];
  const tokens: string[] = [];
  const paths: number[] = [];
  let end = 0; // of the code: only comments follow
  for (const { type, value } of jsTokens(text)) {
    // All other comments of this form are indented, or follow the code.
    if (value.startsWith("// ") && [undefined, "\n"].includes(pieces.at(-1))) {
      paths.push(pieces.length);
    }
    const isName = type === "StringLiteral" && isWrapped(tokens);
    pieces.push(isName ? value.replace(/^(.).*\//, "$1") : value);
    if (/Comment$|^WhiteSpace$|^LineTerminatorSequence$/.test(type)) continue;
    tokens.push(value);
    end = pieces.length;
  }
  for (const index of paths) if (index < end) pieces.fill("", index, index + 2);
  return { code: pieces.join(""), exports: exportsOf(tokens) };
}

/** Whether the next token is the name of a function that a module is wrapped in: `__commonJS({ "a/b.cjs"() {`. */
function isWrapped(tokens: readonly string[]): boolean {
  return /^__(commonJS|esm)\d* \( \{( async)?$/.test(
    tokens.slice(tokens.at(-1) === "async" ? -4 : -3).join(" "),
  );
}

/** The names in the statement that the bundler ends with. */
function exportsOf(tokens: readonly string[]): string[] | undefined {
  const [kind, ...list] = tokens.slice(tokens.lastIndexOf("export") + 1);
  if (kind === "default") return undefined; // of ESM, the bundler names the default export as any other
  if (kind !== "{" || !list.includes("}")) return [];
  const names = list.slice(0, list.indexOf("}"));
  return names.filter((name, index) => name !== "," && [",", undefined].includes(names[index + 1]));
}
