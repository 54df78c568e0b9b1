import type { ImportKind, PluginBuild, ResolveResult } from "esbuild";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { exports } from "resolve.exports";
import satisfies from "semver/functions/satisfies";
import { isInside } from "./access.ts";
import type { Graph, NpmPackage } from "./graph.ts";

/** Marks a resolution by esbuild itself, so that the plugin does not answer it. */
export const BY_ESBUILD = Symbol();

/** A module of a package in Deno's cache. */
export interface PackageModule {
  /** The name and version of the package. */
  readonly id: string;
  readonly file: string;
}

/** A module that an import leads to. */
export interface FoundModule {
  readonly module: PackageModule;
  readonly sideEffects: boolean;
}

/** Finds the modules of the npm packages in Deno's cache. There, the folders of dependencies are not in `node_modules`. */
export class Packages {
  readonly #build: PluginBuild;
  readonly #packages: Readonly<Record<string, NpmPackage>>;
  /** The packages that were entered. The importer makes no difference, and asking esbuild takes long. */
  readonly #entered = new Map<string, Promise<ResolveResult>>();

  constructor(build: PluginBuild, graph: Graph) {
    this.#build = build;
    this.#packages = graph.npmPackages ?? {};
  }

  /** Resolves an import of a package, such as `npm:/hono@4.0.0/cookie`. */
  enter(id: string, subpath: string, kind: ImportKind): Promise<ResolveResult> {
    const key = `${kind} ${id}${subpath}`;
    const entered = this.#entered.get(key) ?? this.#enter(id, subpath, kind);
    this.#entered.set(key, entered);
    return entered;
  }

  async #enter(id: string, subpath: string, kind: ImportKind): Promise<ResolveResult> {
    const { name, localPath } = this.#packages[id]!;
    const options = { resolveDir: localPath, kind, pluginData: BY_ESBUILD };
    const manifest = readManifest(localPath);
    // A package with `exports` can import itself by its name. In node_modules, every package can be found by its name. The
    // error about a package that is not there has its name.
    return manifest === undefined || "exports" in manifest || localPath.includes("node_modules")
      ? await this.#build.resolve(name + subpath, options)
      : await this.#build.resolve(subpath === "" ? "./" : `.${subpath}`, options);
  }

  /** Resolves an import in a package. Returns `undefined` if the package does not depend on the imported package. */
  async resolve(
    path: string,
    importer: PackageModule,
    kind: ImportKind,
  ): Promise<{ readonly id: string; readonly result: ResolveResult } | undefined> {
    if (/^[./#]/.test(path)) {
      const resolveDir = importer.file.replace(/[^/\\]*$/, "");
      const result = await this.#build.resolve(path, { resolveDir, kind, pluginData: BY_ESBUILD });
      return { id: importer.id, result };
    }
    const [name] = /^(@[^/]+\/)?[^/]+/.exec(path)!;
    const id = findDependency(name, this.#packages[importer.id]!, this.#packages);
    if (id === undefined) return undefined;
    return { id, result: await this.enter(id, path.slice(name.length), kind) };
  }

  /**
   * Finds the module of an import in a package. Returns `undefined` if esbuild has to find it. esbuild would find the same
   * module, but every question to it takes long, and a package may have hundreds of modules.
   */
  find(path: string, importer: PackageModule, kind: ImportKind): FoundModule | undefined {
    if (/^\.\.?(\/|$)/.test(path)) {
      return path.endsWith("/")
        ? undefined
        : this.#findAt(importer.id, join(dirname(importer.file), path));
    }
    const [name] = /^(@[^/]+\/)?[^/.#][^/]*/.exec(path) ?? [];
    const id = name === undefined
      ? undefined
      : findDependency(name, this.#packages[importer.id]!, this.#packages);
    return id === undefined ? undefined : this.findEntry(id, path.slice(name!.length), kind);
  }

  /** Finds the module of an import of a package, such as `npm:/hono@4.0.0/cookie`, as {@linkcode find} does. */
  findEntry(id: string, subpath: string, kind: ImportKind): FoundModule | undefined {
    const { localPath } = this.#packages[id]!;
    const manifest = readManifest(localPath);
    if (manifest === undefined) return undefined;
    if (!("exports" in manifest)) return this.#findAt(id, join(localPath, subpath));
    const [target, ...others] = targetsOf(manifest, `.${subpath}`, {
      conditions: this.#build.initialOptions.conditions ?? [],
      require: kind.startsWith("require"),
    });
    if (target === undefined || others.length > 0) return undefined;
    const found = this.#findAt(id, join(localPath, target));
    return found?.module.file === join(localPath, target) ? found : undefined;
  }

  /** Finds the file of a path, or of a folder: its `package.json` names the file, or it is `index`. */
  #findAt(id: string, path: string): FoundModule | undefined {
    const top = this.#packages[id]!.localPath;
    const find = (file: string, endings = ["", ...ENDINGS]): string | undefined => {
      if (!isInside(dirname(file), top)) return undefined;
      const { files } = folderOf(dirname(file), top);
      const ending = endings.find((ending) => files.has(basename(file) + ending));
      return ending === undefined ? undefined : file + ending;
    };
    const findIn = (folder: string) => find(join(folder, "index"), ENDINGS);
    const findMain = () => {
      if (find(join(path, "package.json"), [""]) === undefined) return undefined;
      const { module, main } = readManifest(path) ?? {};
      return [module, main].filter((name) => typeof name === "string")
        .map((name) => find(join(path, name)) ?? findIn(join(path, name)))
        .find((file) => file !== undefined);
    };
    const file = find(path) ?? findMain() ?? findIn(path);
    if (file === undefined) return undefined;
    const { hasSideEffects } = folderOf(dirname(file), top);
    return hasSideEffects && { module: { id, file }, sideEffects: hasSideEffects(file) };
  }

  /** Names a module of a package, such as `hono@4.0.0/dist/hono.js`. */
  nameOf({ id, file }: PackageModule): string {
    return `${id}/${relative(this.#packages[id]!.localPath, file).replaceAll("\\", "/")}`;
  }
}

/** Finds the package in Deno's cache that another one means by a name. Returns its name and version. */
export function findDependency(
  name: string,
  { name: own, version, dependencies, localPath }: NpmPackage,
  packages: Readonly<Record<string, NpmPackage>>,
): string | undefined {
  if (name === own) return `${own}@${version}` in packages ? `${own}@${version}` : undefined;
  const { dependencies: ranges = {} } = readManifest(localPath) ?? {};
  // The range of an alias is `npm:NAME@RANGE`.
  const [, alias, range = "*"] = /^npm:(@?[^@]+)(?:@(.+))?$/.exec(ranges[name] ?? "") ?? [];
  if (alias !== undefined) {
    return dependencies.find((id) =>
      packages[id]?.name === alias && satisfies(packages[id].version, range)
    );
  }
  const isNamed = (id: string) => packages[id]?.name === name;
  // Some packages import packages that they do not name. Deno finds those, too.
  return dependencies.find(isNamed) ?? Object.keys(packages).find(isNamed);
}

/** A folder of a package in Deno's cache. */
interface PackageFolder {
  /** The names of the files. A link is none. */
  readonly files: ReadonlySet<string>;
  /** Tells whether a module has side effects; `undefined` if patterns say that. */
  readonly hasSideEffects: ((file: string) => boolean) | undefined;
}

const packageFolders = new Map<string, PackageFolder>();

/** Lists a folder of a package in Deno's cache, where nothing changes. */
function folderOf(folder: string, top: string): PackageFolder {
  const known = packageFolders.get(folder);
  if (known !== undefined) return known;
  const listed = listFolder(folder);
  const above = folder === top ? undefined : folderOf(dirname(folder), top);
  const own = listed.has("package.json") ? readManifest(folder) : undefined;
  const made: PackageFolder = {
    files: listed,
    hasSideEffects: own === undefined && above !== undefined
      ? above.hasSideEffects
      : readSideEffects(folder, own?.sideEffects),
  };
  packageFolders.set(folder, made);
  return made;
}

function readSideEffects(folder: string, list: unknown): PackageFolder["hasSideEffects"] {
  if (!Array.isArray(list)) return () => list !== false;
  if (list.some((path) => /[*?]/.test(path))) return undefined;
  const files = new Set(list.map((path) => join(folder, path)));
  return (file) => files.has(file);
}

/** Lists the files of a folder. A folder that does not exist, or that a link leads to, has none. */
function listFolder(folder: string): ReadonlySet<string> {
  try {
    if (realpathSync(folder) !== folder) return new Set();
    const entries = readdirSync(folder, { withFileTypes: true });
    return new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
  } catch {
    return new Set();
  }
}

/** What esbuild adds to a path without a file, in its order. */
const ENDINGS = [".tsx", ".ts", ".jsx", ".js", ".css", ".json"];

/** Returns what `exports` has for a path. Returns nothing if that is nothing: esbuild tells the problem. */
function targetsOf(...question: Parameters<typeof exports<PackageManifest>>): readonly string[] {
  try {
    return exports(...question) ?? [];
  } catch {
    return [];
  }
}

interface PackageManifest {
  readonly module?: unknown;
  readonly main?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly sideEffects?: unknown;
}

const manifests = new Map<string, PackageManifest>();

/**
 * Reads the `package.json` of a package in Deno's cache, where nothing changes. Returns `undefined` if the package is not
 * there: Deno does not download an optional package for another system.
 */
function readManifest(folder: string): PackageManifest | undefined {
  const known = manifests.get(folder);
  if (known !== undefined) return known;
  const file = `${folder}/package.json`;
  if (!existsSync(file)) return undefined;
  const manifest: PackageManifest = JSON.parse(readFileSync(file, "utf8"));
  manifests.set(folder, manifest);
  return manifest;
}
