import { relative } from "node:path";
import type { BundlerOptions, NativePackage, NativePackages } from "../packages/messages.ts";
import type { NpmPackage } from "../packages/graph.ts";
import { type InstalledPackage, InstalledPackages, readManifest } from "./installed.ts";

/** A file that a module imports. */
export interface ImportedFile {
  /** The file, without links. */
  readonly file: string;
  /** The name and version of its package in the module graph. */
  readonly id: string | undefined;
  /** What the import means: `npm:/NAME@RANGE/PATH` if the import map says so, otherwise what is written. */
  readonly meaning: string;
  /** The folder of the module that imports. */
  readonly from: string;
}

/** Finds the imports of native packages in one build. */
export class Externals {
  readonly #options: BundlerOptions;
  readonly #installed: InstalledPackages;
  readonly #cache: Readonly<Record<string, NpmPackage>>;
  /** The packages by the folders that they get in `node_modules` of the zip. */
  readonly #packages = new Map<string, NativePackage>();

  /** @param cache The packages in Deno's cache. */
  constructor(options: BundlerOptions, cache: Readonly<Record<string, NpmPackage>>) {
    this.#options = options;
    this.#cache = cache;
    this.#installed = new InstalledPackages(options, cache);
  }

  /**
   * Tells how an import of a file is written if the package of the file is native. Returns `undefined` if the file is bundled.
   *
   * @param isCaught Tells whether the importing module works without the package.
   * @throws {Error} If the package is invalid, or there are two that would get one name.
   */
  async find(
    { file, id, meaning, from }: ImportedFile,
    isCaught: () => Promise<boolean>,
  ): Promise<string | undefined> {
    const found = this.#installed.packageOf(file, id);
    if (found === undefined || !this.#installed.isNative(found)) return undefined;
    const [, alias = "", path = ""] = /^(?:npm:\/?)?((?:@[^/]+\/)?[^/@:]+)(?:@[^/]*)?(\/.*)?$/
      .exec(meaning) ?? [];
    const isAlias = alias !== "" && !/^[.#]/.test(alias) &&
      (found.id !== undefined || this.#installed.findFrom(from, alias)?.folder === found.folder);
    const name = this.#nameOf(found, isAlias ? alias : nameIn(found.folder));
    const former = this.#packages.get(name);
    if (former !== undefined && former.folder !== found.folder) {
      throw new Error(
        `Cannot copy two packages as ${JSON.stringify(name)}: ${
          JSON.stringify(former.folder)
        } and ${JSON.stringify(found.folder)}; install one of them only`,
      );
    }
    if (former?.isOptional !== false) {
      this.#packages.set(name, { ...found, name, isOptional: await isCaught() });
    }
    return isAlias
      ? name + path
      : `./node_modules/${name}/${relative(found.folder, file).replaceAll("\\", "/")}`;
  }

  /** The folder in the zip. A version that the application does not import by its name has its version in the name. */
  #nameOf(found: InstalledPackage, name: string): string {
    const { folder, id } = found;
    const isOnly = id === undefined
      ? this.#installed.findFrom(this.#options.folder, name)?.folder === folder
      : !this.#installed.hasSeveral(id);
    return isOnly ? name : `${name}@${readManifest(folder).version}`;
  }

  /** Collects the packages of the imports that a bundle has, with what they may depend on in Deno's cache. */
  packagesOf(imports: readonly string[]): NativePackages | undefined {
    const names = new Set(
      imports.map((path) => /^(?:\.\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? ""),
    );
    const packages = [...this.#packages.values()].filter(({ name }) => names.has(name))
      .sort((a, b) => a.name < b.name ? -1 : 1);
    if (packages.length === 0) return undefined;
    const cache: Record<string, NpmPackage> = {};
    const add = (id: string) => {
      const one = this.#cache[id];
      if (one === undefined || id in cache) return;
      cache[id] = one;
      one.dependencies.forEach(add);
    };
    packages.forEach(({ id }) => id !== undefined && add(id));
    return { packages, cache };
  }
}

/** The name of a package by its folder in `node_modules`. */
function nameIn(folder: string): string {
  return /(?:@[^\\/]+[\\/])?[^\\/]+$/.exec(folder)![0].replaceAll("\\", "/");
}
