import { isBuiltin } from "node:module";
import { packageNameOf } from "../packages/access.ts";
import type { Output } from "../packages/types.ts";
import { REQUIRE_LINE } from "./output.ts";
import { placesOf } from "./places.ts";

/** The place of a module at run time, which is that of the bundle. esbuild has written it for `__dirname`, too. */
const OWN_PLACE = String.raw`\bimport\.meta\.(?:url|dirname|filename)\b`;

/** The function that esbuild adds for a `require` that it cannot follow, and its name. The search begins once in each word. */
const REQUIRE =
  /(?<![\w$])([\w$]+) ?= ?(?:\/\* @__PURE__ \*\/ )?\(\(?[\w$]+\)? ?=> ?typeof require\b/;

/** A comparison, as in `if (import.meta.url === …)`, and `typeof __dirname` open no file. */
const COMPARED = /(?:[!=]==?|\btypeof)\s*$/;

/** A name of a file that is given to no function, such as `dirname()`, is for a stack trace or a log. */
const NAMED = /[^(\s]\s*$/;

/** What may be `createRequire(import.meta.url)`. */
const MADE_REQUIRE = /([\w$]+)\s*=\s*(?:[\w$]+\.)?[\w$]+\($/;

/** A call of a function by its name, with the text that it is given. The search begins once in each word. */
const CALL = /(?<![\w$.])([\w$]+)\((?:(["'`])([^"'`\n]*)\2)?/g;

/**
 * Finds the packages in a bundle that probably open files beside their modules: by the place of a module, or by
 * `require.resolve()`. A bundle has no such files.
 *
 * @returns A warning that names the packages, if there are any.
 */
export function warnOfFilesBeside(output: Output): string[] {
  const { code } = output;
  const [, require] = REQUIRE.exec(code) ?? [];
  const resolve = require && String.raw`|(?<![\w$.])${RegExp.escape(require)}\.resolve\(`;
  const pattern = new RegExp(OWN_PLACE + (resolve ?? ""), "g");
  let calls: ReadonlyMap<string, boolean> | undefined;
  const isHarmless = ({ index, 0: text }: RegExpExecArray) => {
    const before = code.slice(Math.max(0, index - 100), index).replace(/^[^]*\n/, "");
    const after = code.slice(index + text.length, index + text.length + 10);
    const [, made] = MADE_REQUIRE.exec(before) ?? [];
    return COMPARED.test(before) || /^ *[!=]==?/.test(after) ||
      text.endsWith("filename") && NAMED.test(before) ||
      made !== undefined && (calls ??= findCalls(code)).get(made) === true;
  };
  const start = code.startsWith(REQUIRE_LINE) ? REQUIRE_LINE.length : 0;
  const matches = code.matchAll(pattern)
    .filter((match) => match.index >= start && !isHarmless(match)).toArray();
  if (matches.length === 0) return []; // Decoding a large source map takes a tenth of a second.
  const found = new Map<string, string>();
  for (const { source, line } of placesOf(matches, output)) {
    const name = packageNameOf(source);
    if (name !== undefined && !found.has(name)) found.set(name, `${source}:${line}`);
  }
  if (found.size === 0) return [];
  const names = [...found.keys()].sort();
  const list = names.map((name) => `"${name}" (${found.get(name)})`).join(", ");
  const [subject, their] = names.length === 1 ? ["package", "its"] : ["packages", "their"];
  const verb = names.length === 1 ? "opens" : "open";
  return [
    `the ${subject} ${list} probably ${verb} files beside ${their} modules, which a bundle does not ` +
    `have: if so, add "packages": ${JSON.stringify(names)} to the function`,
  ];
}

/** Finds, in one pass, each function that is called, and whether all its calls have the name of a module of Node.js. */
function findCalls(code: string): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  for (const [, name, , module] of code.matchAll(CALL)) {
    found.set(name!, found.get(name!) !== false && module !== undefined && isBuiltin(module));
  }
  return found;
}
