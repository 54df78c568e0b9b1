import type { ImportKind, PluginBuild, ResolveResult } from "esbuild";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
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
    // A package with `exports` can import itself by its name. In node_modules, every package can be found by its name.
    return localPath.includes("node_modules") || "exports" in readManifest(localPath)
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
    const id = this.#find(name, this.#packages[importer.id]!);
    if (id === undefined) return undefined;
    return { id, result: await this.enter(id, path.slice(name.length), kind) };
  }

  /**
   * Finds a file of the same package that an import names exactly. esbuild would find the same file, but every question to it
   * takes long, and a package may have hundreds of modules.
   */
  findFile(
    path: string,
    { id, file }: PackageModule,
  ): { readonly module: PackageModule; readonly sideEffects: boolean } | undefined {
    if (!/^\.\.?\/.*\.[cm]?js$/.test(path)) return undefined;
    const found = join(dirname(file), path);
    const { localPath } = this.#packages[id]!;
    if (!isInside(found, localPath)) return undefined;
    const { files, sideEffects } = folderOf(dirname(found), localPath);
    return files.has(basename(found)) && sideEffects !== undefined
      ? { module: { id, file: found }, sideEffects }
      : undefined;
  }

  /** Names a module of a package, such as `hono@4.0.0/dist/hono.js`. */
  nameOf({ id, file }: PackageModule): string {
    return `${id}/${relative(this.#packages[id]!.localPath, file).replaceAll("\\", "/")}`;
  }

  #find(name: string, { name: own, version, dependencies, localPath }: NpmPackage) {
    if (name === own) {
      return `${own}@${version}` in this.#packages ? `${own}@${version}` : undefined;
    }
    const { dependencies: ranges = {} } = readManifest(localPath);
    // The range of an alias is `npm:NAME@RANGE`.
    const [, alias, range = "*"] = /^npm:(@?[^@]+)(?:@(.+))?$/.exec(ranges[name] ?? "") ?? [];
    if (alias !== undefined) {
      return dependencies.find((id) =>
        this.#packages[id]?.name === alias && satisfies(this.#packages[id].version, range)
      );
    }
    const isNamed = (id: string) => this.#packages[id]?.name === name;
    // Some packages import packages that they do not name. Deno finds those, too.
    return dependencies.find(isNamed) ?? Object.keys(this.#packages).find(isNamed);
  }
}

/** A folder of a package in Deno's cache. */
interface PackageFolder {
  /** The names of the files. A link is none. */
  readonly files: ReadonlySet<string>;
  /** Whether the modules have side effects; `undefined` if that depends on their names. */
  readonly sideEffects: boolean | undefined;
}

const packageFolders = new Map<string, PackageFolder>();

/** Lists a folder of a package in Deno's cache, where nothing changes. */
function folderOf(folder: string, top: string): PackageFolder {
  const known = packageFolders.get(folder);
  if (known !== undefined) return known;
  const listed = listFolder(folder);
  const above = folder === top ? undefined : folderOf(dirname(folder), top);
  const own = listed.has("package.json") ? readManifest(folder) : undefined;
  const { sideEffects = true } = own ?? {};
  const made: PackageFolder = {
    files: listed,
    sideEffects: own === undefined && above !== undefined
      ? above.sideEffects
      : typeof sideEffects === "boolean"
      ? sideEffects
      : undefined,
  };
  packageFolders.set(folder, made);
  return made;
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

interface PackageManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly sideEffects?: unknown;
}

const manifests = new Map<string, PackageManifest>();

/** Reads the `package.json` of a package in Deno's cache, where nothing changes. */
function readManifest(folder: string): PackageManifest {
  const manifest = manifests.get(folder) ??
    JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as PackageManifest;
  manifests.set(folder, manifest);
  return manifest;
}
