import type { ImportKind, PluginBuild, ResolveResult } from "esbuild";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import satisfies from "semver/functions/satisfies";
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

  constructor(build: PluginBuild, graph: Graph) {
    this.#build = build;
    this.#packages = graph.npmPackages ?? {};
  }

  /** Resolves an import of a package, such as `npm:/hono@4.0.0/cookie`. */
  async enter(id: string, subpath: string, kind: ImportKind): Promise<ResolveResult> {
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

interface PackageManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifests = new Map<string, PackageManifest>();

/** Reads the `package.json` of a package in Deno's cache, where nothing changes. */
function readManifest(folder: string): PackageManifest {
  const manifest = manifests.get(folder) ??
    JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as PackageManifest;
  manifests.set(folder, manifest);
  return manifest;
}
