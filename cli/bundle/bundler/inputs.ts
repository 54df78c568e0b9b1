import type { Metafile } from "esbuild";
import { parse as parseJson } from "jsonc-parser";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DENO_CONFIGS } from "../../programs/find_program.ts";
import { isInside, isPackageFile, realPath } from "../packages/access.ts";
import type { BundlerOptions, Inputs } from "../packages/types.ts";
import { foldersAbove, STATES } from "./application_folders.ts";
import type { Reading } from "./resolver.ts";

/** The files of a folder that decide how the modules there are bundled. */
const CONFIGS = [...DENO_CONFIGS, "package.json", "tsconfig.json"];

/**
 * Lists what a bundle was made of, except the configuration in the folder of the application and above it.
 *
 * @param entry The path or the URL of the module.
 * @param others Files that count beside those of the metafile.
 */
export function inputsOf(
  entry: string,
  { inputs }: Metafile,
  { graph: { modules, npmPackages = {} }, packages }: Pick<Reading, "graph" | "packages">,
  options: BundlerOptions,
  others: readonly string[],
): Inputs {
  const { folder, npmCache, denoDir, application } = options;
  const locals = new Map(modules.map(({ specifier, local }) => [specifier, local]));
  const configured = new Set(foldersAbove(folder));
  const files = new Set(others);
  const names = new Map<string, readonly [string, string]>();
  const paths = new Set<string>();
  const add = (folder: string, start: string) => names.set(join(folder, start), [folder, start]);
  /** Adds a path that an import names: another file or a link could take its place, or be found before it. */
  const addPlace = (path: string) => {
    if (isPackageFile(path, options)) return add(dirname(path), "");
    add(dirname(path), basename(path).replace(/(?!^)\..*$/, "") + ".");
    if (!configured.has(dirname(path))) paths.add(dirname(path));
  };
  const own = new Set<string>();
  if (!/^https?:/.test(entry)) addPlace(entry);
  for (const [input, { imports }] of Object.entries(inputs)) {
    const name = input.replace(/ with \{.*$/, "");
    const cached = packages.fileOf(name) ?? locals.get(name);
    if (cached === undefined && /^(https?|data):/.test(name)) continue;
    const file = cached ?? resolve(folder, name);
    files.add(file);
    if (cached !== undefined) continue;
    own.add(file);
    addPlace(file);
    for (const { path, original = path, external } of imports) {
      const [pattern] = external ? /[^/]*\*.*$/.exec(path) ?? [] : [];
      if (pattern !== undefined) {
        const top = resolve(dirname(file), path.slice(0, -pattern.length));
        foldersBelow(top).forEach((folder) => add(folder, ""));
      } else if (/^\.\.?(\/|$)/.test(original)) addPlace(join(dirname(file), original));
    }
  }
  for (const { specifier, dependencies = [] } of modules) {
    if (!specifier.startsWith("file:")) continue;
    const file = fileURLToPath(specifier);
    if (!own.has(file) && !own.has(realPath(file) ?? file)) continue;
    for (const { code } of dependencies) {
      if (code?.specifier?.startsWith("file:")) addPlace(fileURLToPath(code.specifier));
    }
  }
  const folders = new Set<string>();
  for (const file of own) {
    for (let path = dirname(file); !folders.has(path); path = dirname(path)) folders.add(path);
  }
  for (const path of folders) {
    const isOwn = application.some((one) => isInside(path, one));
    if (configured.has(path) || !isOwn && !isPackageFile(path, options)) continue;
    if (isPackageFile(join(path, "x"), options)) add(path, "");
    else for (const name of [...CONFIGS, "node_modules"]) add(path, name + ".");
    for (const name of CONFIGS) if (existsSync(join(path, name))) files.add(join(path, name));
    const installed = join(path, "node_modules");
    if (!existsSync(installed)) continue;
    add(installed, "");
    for (const name of STATES) {
      if (existsSync(join(installed, name))) files.add(join(installed, name));
    }
  }
  const tsconfigs = [...configured].map((path) => join(path, "tsconfig.json")).concat(...files)
    .filter((file) => /[\\/][^\\/]*tsconfig[^\\/]*\.json$/.test(file));
  for (const tsconfig of tsconfigs) {
    for (const file of extendedBy(tsconfig)) {
      if (!existsSync(file)) paths.add(file);
      else if (!files.has(file)) {
        files.add(file);
        tsconfigs.push(file); // The loop also visits it.
      }
    }
  }
  const versions = Object.values(npmPackages).map(({ localPath }) => localPath)
    .filter((path) => isInside(path, npmCache))
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
    paths: [...paths].sort(),
  };
}

/** Lists a folder and those below: an import by a computed name finds the files there. */
function foldersBelow(folder: string): string[] {
  if (!existsSync(folder)) return [folder];
  const entries = readdirSync(folder, { withFileTypes: true });
  const folders = entries.filter((one) =>
    one.isDirectory() && !/^(\.|node_modules$)/.test(one.name)
  );
  return [folder, ...folders.flatMap(({ name }) => foldersBelow(join(folder, name)))];
}

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
    (/^[./]/.test(name)
      ? [dirname(file)]
      : foldersAbove(dirname(file)).map((path) => join(path, "node_modules")))
      .flatMap((folder) =>
        ["", ".json", "/tsconfig.json"].map((end) => resolve(folder, name + end))
      )
  );
}
