import type { Metafile } from "esbuild";
import { relative } from "node:path";
import type {
  BundlerOptions,
  ExternalPackage,
  ExternalPackages,
  Style,
  UnusedPackages,
} from "../packages/types.ts";
import { packageNameOf } from "../packages/access.ts";
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

/** Finds the imports of packages that are left out of a bundle: those that its style names, and for Node.js native ones. */
export class Externals {
  readonly #options: BundlerOptions;
  readonly #installed: InstalledPackages;
  readonly #cache: Readonly<Record<string, NpmPackage>>;
  readonly #style: Style;
  /** The packages by the folders that they get in `node_modules` of the zip. */
  readonly #packages = new Map<string, ExternalPackage>();

  /** @param cache The packages in Deno's cache. */
  constructor(
    options: BundlerOptions,
    cache: Readonly<Record<string, NpmPackage>>,
    style: Style,
  ) {
    this.#options = options;
    this.#style = style;
    this.#cache = cache;
    this.#installed = new InstalledPackages(options, cache);
  }

  /**
   * Tells how an import of a file is written if the package of the file is left out. Returns `undefined` if the file is bundled.
   *
   * @param isCaught Tells whether the importing module works without the package.
   * @throws {Error} If the package is invalid, or there are two that would get one name.
   */
  async find(
    { file, id, meaning, from }: ImportedFile,
    isCaught: () => Promise<boolean>,
  ): Promise<string | undefined> {
    const found = this.#installed.packageOf(file, id);
    if (found === undefined) return undefined;
    const [, alias = "", path = ""] = /^(?:npm:\/?)?((?:@[^/]+\/)?[^/@:]+)(?:@[^/]*)?(\/.*)?$/
      .exec(meaning) ?? [];
    const isAlias = alias !== "" && !/^[.#]/.test(alias) &&
      (found.id !== undefined || this.#installed.findFrom(from, alias)?.folder === found.folder);
    const isListed = this.#style.packages
      .some((name) => name === this.#ownName(found) || isAlias && name === alias);
    if (!isListed && (this.#style.target === "deno" || !this.#installed.isNative(found))) {
      return undefined;
    }
    const name = this.#nameOf(found, isAlias ? alias : this.#ownName(found));
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

  #ownName({ folder, id }: InstalledPackage): string {
    return id === undefined
      ? /(?:@[^\\/]+[\\/])?[^\\/]+$/.exec(folder)![0].replaceAll("\\", "/")
      : this.#cache[id]!.name;
  }

  /** The folder in the zip. A version that the application does not import by its name has its version in the name. */
  #nameOf(found: InstalledPackage, name: string): string {
    const { folder, id } = found;
    const isOnly = id === undefined
      ? this.#installed.findFrom(this.#options.folder, name)?.folder === folder
      : !this.#installed.hasSeveral(id);
    return isOnly ? name : `${name}@${readManifest(folder).version}`;
  }

  /** Finds the packages of the style that no module of a bundle imports, and that no copied package needs. */
  unusedIn({ inputs }: Metafile): UnusedPackages | undefined {
    if (this.#style.packages.length === 0) return undefined;
    const imports = Object.values(inputs).flatMap(({ imports }) => imports)
      .filter(({ external }) => external).map(({ path }) => path);
    const copied: InstalledPackage[] = [...this.packagesOf(imports)?.packages ?? []];
    const folders = new Set(copied.map(({ folder }) => folder));
    const names = new Set(imports.map(nameOfImport));
    for (const own of copied) { // The loop also visits those that it adds.
      names.add(this.#ownName(own));
      const { dependencies, optionalDependencies, peerDependencies } = readManifest(own.folder);
      for (const name of [...dependencies, ...optionalDependencies, ...peerDependencies]) {
        names.add(name);
        const found = this.#installed.find(name, own);
        if (found !== undefined && !folders.has(found.folder)) copied.push(found);
        if (found !== undefined) folders.add(found.folder);
      }
    }
    const unused = this.#style.packages.filter((name) => !names.has(name));
    if (unused.length === 0) return undefined;
    const others = new Set(Object.keys(inputs).map(packageNameOf));
    return {
      names: unused.map((name) => ({
        name,
        isInstalled: this.#installed.findFrom(this.#options.folder, name) !== undefined,
      })),
      others: [...others].filter((name) => name !== undefined).sort(),
    };
  }

  /** Collects the packages of the imports that a bundle has, with what they may depend on in Deno's cache. */
  packagesOf(imports: readonly string[]): ExternalPackages | undefined {
    const names = new Set(imports.map(nameOfImport));
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

/** The folder in the zip of the package that an import of a bundle leads to. */
function nameOfImport(path: string): string {
  return /^(?:\.\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? "";
}
