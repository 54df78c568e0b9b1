import type { Metafile } from "esbuild";
import { createHash } from "node:crypto";
import { parse as parseJson } from "jsonc-parser";
import { readFileSync } from "node:fs";
import { dirname, join, parse, resolve } from "node:path";
import { DENO_CONFIGS } from "../../programs/find_program.ts";
import { isInside, isPackageFile } from "../packages/access.ts";
import type { Graph } from "../packages/graph.ts";
import type { BundlerOptions, Inputs } from "../packages/messages.ts";

/**
 * Lists what a bundle was made of. Returns `undefined` if a module of the application imports files by computed names, because a
 * new file could match them.
 *
 * @param others Files that count beside those of the metafile.
 */
export function inputsOf(
  { inputs }: Metafile,
  { modules, npmPackages = {} }: Graph,
  options: BundlerOptions,
  others: readonly string[],
): Inputs | undefined {
  const { folder, npmCache, denoDir, application } = options;
  const locals = new Map(modules.map(({ specifier, local }) => [specifier, local]));
  const files = new Set(others);
  const own = new Set<string>();
  for (const [input, { imports }] of Object.entries(inputs)) {
    const name = input.replace(/ with \{.*$/, "");
    const [, id, path] = /^npm:((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(name) ?? [];
    const file = id !== undefined
      ? resolve(npmPackages[id]!.localPath, path!)
      : /^https?:/.test(name)
      ? locals.get(name)
      : resolve(folder, name);
    if (file === undefined || name.startsWith("data:")) continue;
    files.add(file);
    if (id !== undefined || file === locals.get(name)) continue;
    own.add(file);
    const hasPattern = imports.some(({ path, external }) => external && path.includes("*"));
    if (hasPattern && !isPackageFile(file, options)) return undefined;
  }
  const names = new Map<string, readonly [string, string]>();
  const add = (folder: string, start: string) => names.set(join(folder, start), [folder, start]);
  const folders = new Set<string>();
  for (const file of own) {
    for (let path = dirname(file); !folders.has(path); path = dirname(path)) folders.add(path);
    if (isPackageFile(file, options)) continue;
    const { dir, name } = parse(file);
    add(dir, name.replace(/\..*$/, "") + ".");
    if (name === "index") add(dirname(dir), parse(dir).base + ".");
  }
  for (const path of folders) {
    for (const name of [...DENO_CONFIGS, "package.json", "tsconfig.json"]) {
      files.add(join(path, name));
    }
    if (application.some((one) => isInside(path, one) || isInside(one, path))) {
      add(join(path, "node_modules"), "");
      for (const name of STATES) files.add(join(path, "node_modules", name));
    }
  }
  for (const file of files) {
    if (/[\\/][^\\/]*tsconfig[^\\/]*\.json$/.test(file)) {
      extendedBy(file).forEach((one) => files.add(one)); // The loop also visits these.
    }
  }
  const packages = Object.values(npmPackages).map(({ localPath }) => localPath);
  const versions = packages.filter((path) => isInside(path, npmCache))
    .map((path) => join(dirname(path), "registry.json"));
  for (const { specifier } of modules) {
    const [, name] = /^https:\/\/jsr\.io(\/@[^/]+\/[^/]+)\//.exec(specifier) ?? [];
    const hash = name && createHash("sha256").update(`${name}/meta.json`).digest("hex");
    if (hash) versions.push(join(denoDir, "remote/https/jsr.io", hash));
  }
  return {
    files: [...files].sort(),
    versions: [...new Set(versions)].sort(),
    names: [...names.values()].sort(),
  };
}

/** The files in `node_modules` in which npm, pnpm, Yarn and Bun note what they have installed. */
const STATES = [".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"];

/** The files that a `tsconfig.json` may extend. Most of them do not exist. */
function extendedBy(file: string): string[] {
  let list: readonly unknown[];
  try {
    list = [parseJson(readFileSync(file, "utf8"))?.extends].flat();
  } catch {
    return []; // There is none, it may not be read, or it has thousands of brackets.
  }
  return list.filter((name): name is string => typeof name === "string" && name !== "").flatMap((
    name,
  ) =>
    (/^[./]/.test(name) ? [dirname(file)] : nodeModulesAbove(dirname(file))).flatMap((folder) =>
      ["", ".json", "/tsconfig.json"].map((end) => resolve(folder, name + end))
    )
  );
}

function nodeModulesAbove(folder: string): string[] {
  const parent = dirname(folder);
  const own = join(folder, "node_modules");
  return parent === folder ? [own] : [own, ...nodeModulesAbove(parent)];
}
