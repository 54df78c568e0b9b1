import { dirname, join } from "node:path";
import type { ApplicationFunction, FunctionCode } from "../../application/types.ts";
import { parseObject } from "../../rules/json_object.ts";

/** How a project runs its tests. */
export interface Runner {
  readonly name: "deno" | "vitest" | "jest" | "node";
  /** The line that imports the function `test`, if there is one. */
  readonly importing: string;
  /** The start of a test, up to its name. */
  readonly test: string;
  /** What follows the function of a test: a limit of time, because a platform starts. */
  readonly limit: string;
  /** The end of the name of a file. */
  readonly suffix: string;
  /** The command that runs a file. */
  readonly command: string;
  /** The module with `startPlatform()`. */
  readonly platform: string;
}

/**
 * Finds the runner of the tests of a function: that of Deno, or the one that `package.json` names, or that of Node.js. Jest and
 * the oldest Node.js that counts run JavaScript only.
 */
export async function findRunner(
  folder: string,
  { runtime, code: { module } }: Pick<ApplicationFunction, "runtime"> & {
    readonly code: Pick<FunctionCode, "module">;
  },
): Promise<Runner> {
  const platform = "@mate/cli/platform";
  if (runtime === "deno") {
    const isNamed = await findText(folder, ["deno.json", "deno.jsonc"], /"@mate\/cli/);
    return {
      name: "deno",
      importing: "",
      test: "Deno.test(",
      limit: "",
      suffix: "_test.ts",
      command: "deno test -A",
      platform: isNamed ? platform : `jsr:${platform}`,
    };
  }
  const { dependencies, devDependencies, type } = await readPackage(folder);
  const names = { ...Object(dependencies), ...Object(devDependencies) };
  const common = { test: "test(", limit: ", 60_000", platform };
  if ("vitest" in names) {
    return {
      ...common,
      name: "vitest",
      importing: 'import { test } from "vitest";',
      suffix: /\.[mc]?tsx?$/.test(module) ? ".test.ts" : ".test.mjs",
      command: "npx vitest run",
    };
  }
  if ("jest" in names) {
    return {
      ...common,
      name: "jest",
      importing: "",
      suffix: type === "module" ? ".test.js" : ".test.mjs", // Jest 29 finds no .mjs by itself.
      command: "NODE_OPTIONS=--experimental-vm-modules npx jest",
    };
  }
  return {
    ...common,
    name: "node",
    importing: 'import { test } from "node:test";',
    limit: "",
    suffix: ".test.mjs",
    command: "node --test",
  };
}

async function readPackage(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await Deno.readTextFile(join(folder, "package.json")).catch(() => "{}");
  return parseObject(text) ?? {};
}

/** Tells whether one of some files has a text, in a folder or in one above it. */
async function findText(
  folder: string,
  names: readonly string[],
  pattern: RegExp,
): Promise<boolean> {
  for (const name of names) {
    const text = await Deno.readTextFile(join(folder, name)).catch(() => "");
    if (pattern.test(text)) return true;
  }
  return dirname(folder) !== folder && await findText(dirname(folder), names, pattern);
}
