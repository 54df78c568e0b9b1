import type { ImportKind, PluginBuild, ResolveResult } from "esbuild";
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { exports } from "resolve.exports";
import satisfies from "semver/functions/satisfies";
import { isInside } from "./access.ts";
import type { Graph, NpmPackage } from "./graph.ts";
import type { BundlerOptions } from "./types.ts";

/** Marks a resolution by esbuild itself, so that the plugin does not answer it. */
export const BY_ESBUILD = Symbol();

/** A module of a package in Deno's cache that an import leads to. */
export interface FoundModule {
  readonly file: string;
  readonly sideEffects: boolean;
}

/** The npm packages in Deno's cache. There, the folders of dependencies are not in `node_modules`. */
export class Packages {
  readonly #packages: Readonly<Record<string, NpmPackage>>;
  /** The names and versions of the packages by their folders, without links. */
  readonly #folders: ReadonlyMap<string, string>;
  /** Finds the packages in a text of esbuild. */
  readonly #paths: RegExp;
  /** The package of each folder that was asked for. */
  readonly #ids = new Map<string, string | undefined>();
  readonly #npmCache: string;
  /** The packages that were entered. The importer makes no difference, and asking esbuild takes long. */
  readonly #entered = new Map<string, Promise<ResolveResult>>();

  constructor(
    { npmPackages = {} }: Graph,
    { folder, npmCache }: Pick<BundlerOptions, "folder" | "npmCache">,
  ) {
    this.#packages = npmPackages;
    this.#npmCache = npmCache;
    const there = Object.entries(npmPackages).filter(([, { localPath }]) => existsSync(localPath));
    this.#folders = new Map(there.map(([id, { localPath }]) => [realpathSync(localPath), id]));
    const paths = [...this.#folders.keys()].map((path) =>
      RegExp.escape(relative(npmCache, path).replaceAll("\\", "/"))
    );
    const top = RegExp.escape(relative(folder, npmCache).replaceAll("\\", "/"));
    this.#paths = new RegExp(`${top}/(${paths.join("|") || "$^"})(?=/)`, "g");
  }

  /** Returns the name and version of the package of a file, such as `hono@4.0.0`. */
  idOf(file: string): string | undefined {
    const folder = dirname(file);
    if (!isInside(folder, this.#npmCache)) return undefined;
    const known = this.#folders.get(folder) ?? this.#ids.get(folder);
    if (known !== undefined || this.#ids.has(folder)) return known;
    const id = this.idOf(folder);
    this.#ids.set(folder, id);
    return id;
  }

  /** Reads the `package.json` of the package of a file, in Deno's cache or in `node_modules`. */
  manifestAbove(file: string): Readonly<Record<string, unknown>> {
    for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
      const path = join(folder, "package.json");
      const manifest = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
      // Some packages have others without a name below, for the kind of their modules.
      if (manifest.name !== undefined || basename(dirname(folder)) === "node_modules") {
        return manifest;
      }
    }
    return {};
  }

  /**
   * Names the modules of packages in a text of esbuild, such as `npm:hono@4.0.0/dist/hono.js`. Then the text is the same on each
   * machine.
   */
  name(text: string): string {
    return text.replace(
      this.#paths,
      (path, inside: string, offset: number) =>
        /(^|\n|"|\/\/ )$/.test(text.slice(Math.max(0, offset - 3), offset))
          ? `npm:${this.#folders.get(join(this.#npmCache, inside))}`
          : path,
    );
  }

  /** The file of a module that {@linkcode name} has named; `undefined` for other modules. */
  fileOf(module: string): string | undefined {
    const [, id, path] = /^npm:((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(module) ?? [];
    return id === undefined ? undefined : join(this.#packages[id]!.localPath, path!);
  }

  /** Resolves an import of a package, such as `npm:/hono@4.0.0/cookie`, by asking esbuild. */
  enter(
    { resolve }: Pick<PluginBuild, "resolve">,
    id: string,
    subpath: string,
    kind: ImportKind,
  ): Promise<ResolveResult> {
    const key = `${kind} ${id}${subpath}`;
    const { name, localPath } = this.#packages[id]!;
    const options = { resolveDir: localPath, kind, pluginData: BY_ESBUILD };
    const manifest = readManifest(localPath);
    // A package with `exports` can import itself by its name. In node_modules, every package can be found by its name. The
    // error about a package that is not there has its name.
    const path =
      manifest === undefined || "exports" in manifest || localPath.includes("node_modules")
        ? name + subpath
        : subpath === ""
        ? "./"
        : `.${subpath}`;
    const entered = this.#entered.get(key) ?? resolve(path, options);
    this.#entered.set(key, entered);
    return entered;
  }

  /** Finds the package that a module of another package imports, and the path in it. */
  findImported(path: string, importer: string): readonly [id: string, subpath: string] | undefined {
    const own = this.idOf(importer);
    const [name] = /^(@[^/]+\/)?[^/.#][^/]*/.exec(path) ?? [];
    if (own === undefined || name === undefined) return undefined;
    const id = findDependency(name, this.#packages[own]!, this.#packages);
    return id === undefined ? undefined : [id, path.slice(name.length)];
  }

  /**
   * Finds the module of an import of a package, such as `npm:/hono@4.0.0/cookie`. Returns `undefined` if esbuild has to find it.
   * esbuild would find the same module, but every question to it takes long.
   */
  find(
    id: string,
    subpath: string,
    kind: ImportKind,
    conditions: readonly string[],
  ): FoundModule | undefined {
    const { localPath } = this.#packages[id]!;
    const manifest = readManifest(localPath);
    if (manifest === undefined) return undefined;
    if (!("exports" in manifest)) return findAt(join(localPath, subpath), localPath);
    const [target, ...others] = targetsOf(manifest, `.${subpath}`, {
      conditions,
      require: kind.startsWith("require"),
    });
    if (target === undefined || others.length > 0) return undefined;
    const found = findAt(join(localPath, target), localPath);
    return found?.file === join(localPath, target) ? found : undefined;
  }
}

/** Finds the file of a path in a package, or of a folder: its `package.json` names the file, or it is `index`. */
function findAt(path: string, top: string): FoundModule | undefined {
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
  return hasSideEffects && { file, sideEffects: hasSideEffects(file) };
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
