import type { Node } from "acorn";
import { decode } from "@jridgewell/sourcemap-codec";
import { type Loader, transform } from "esbuild";
import { resolve } from "node:path";
import { DENO, usesOfDeno } from "./deno_uses.ts";
import { loaderOf } from "./loaders.ts";
import { lookInto } from "../packages/syntax.ts";
import type { Output } from "../packages/types.ts";
import { SHARED } from "./output.ts";

const REMEDY = 'and Node.js has none: use a module of Node.js, or the runtime "deno"';

/**
 * Looks for the global `Deno` in a bundle for Node.js.
 *
 * @param isOwn Whether a module counts.
 * @param folder The folder that the names of modules are relative to.
 * @returns Warnings about uses that perhaps never run.
 * @throws {Error} If a module uses `Deno` whenever it is imported.
 */
export async function checkDeno(
  output: Pick<Output, "code" | "map">,
  isOwn: (source: string) => boolean,
  folder: string,
): Promise<string[]> {
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const [source, line] of usesOfDeno(output, isOwn)) {
    const file = resolve(folder, source);
    const sure = await useAtImport(await Deno.readTextFile(file), loaderOf(file) ?? "js");
    if (sure === undefined) warnings.push(`${source}:${line} uses "Deno", ${REMEDY}`);
    else problems.push(`${source}:${sure} uses "Deno" when it is imported, ${REMEDY}`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return warnings;
}

/**
 * Finds a use of the global `Deno` that runs whenever a module is imported: it is in no function that is called later, and after
 * no condition.
 *
 * @param text The source of the module.
 * @param loader The language of the module.
 * @returns The line; `undefined` if there is no such use.
 */
async function useAtImport(text: string, loader: Loader): Promise<number | undefined> {
  const { format: _, ...shared } = SHARED; // esbuild would wrap CommonJS.
  const options = { ...shared, keepNames: false, loader, define: { Deno: DENO } };
  const { code, map } = await transform(text, options);
  // If it cannot be read, the start of the function tells what is wrong.
  const place = await lookInto(code, "module", (program) => findUse(program)?.loc?.start);
  if (place === undefined) return undefined;
  const line = decode(JSON.parse(map).mappings)[place.line - 1] ?? [];
  const [, , sourceLine] = line.findLast(([column]) => column <= place.column) ?? [];
  return sourceLine === undefined ? undefined : sourceLine + 1;
}

/** The members of a node that surely run where the node does. All members of other nodes do. */
const SURE: Readonly<Record<string, readonly string[]>> = {
  FunctionDeclaration: [],
  FunctionExpression: [],
  ArrowFunctionExpression: [],
  IfStatement: ["test"],
  ConditionalExpression: ["test"],
  LogicalExpression: ["left"],
  SwitchStatement: ["discriminant"],
  ForStatement: ["init", "test"],
  ForInStatement: ["right"],
  ForOfStatement: ["right"],
  WhileStatement: ["test"],
};

/** The parts of a node of any type. */
type Parts = Node & Readonly<Record<string, unknown>>;

function findUse(node: Node): Node | undefined {
  const parts = node as Parts;
  if (node.type === "Identifier") return parts.name === DENO ? node : undefined;
  for (const name of SURE[node.type] ?? namesOf(parts)) {
    for (const part of [parts[name]].flat()) {
      const found = isNode(part) ? findUse(part) : undefined;
      if (found !== undefined) return found;
    }
  }
  // A function that is called at once.
  const { body, generator } = Object(parts.callee) as Partial<
    Record<"body" | "generator", unknown>
  >;
  return node.type === "CallExpression" && isNode(body) && !generator ? findUse(body) : undefined;
}

function namesOf(node: Parts): string[] {
  if (node.type === "TryStatement" && node.handler) return ["finalizer"];
  // The value of a field of an object is made later than that of a class.
  if (node.type === "PropertyDefinition" && !node.static) return ["key"];
  return Object.keys(node);
}

function isNode(value: unknown): value is Node {
  return typeof Object(value).type === "string";
}
