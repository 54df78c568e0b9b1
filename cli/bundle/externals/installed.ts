import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Folders, isInside, isPackageFile } from "../packages/access.ts";
import type { NpmPackage } from "../packages/graph.ts";
import { findDependency } from "../packages/packages.ts";
import { ADDON_FINDERS } from "../packages/optional_imports.ts";
import { limitsInName, type SystemLimits } from "../packages/platforms.ts";

/** A package in a `node_modules` or in Deno's cache. */
export interface InstalledPackage {
  /** The folder, without links. */
  readonly folder: string;
  /** The name and version in the module graph, for a package in Deno's cache. */
  readonly id?: string | undefined;
}

/** What counts of a `package.json`. A package may have written anything into it. */
export interface PackageManifest extends SystemLimits {
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly optionalDependencies: readonly string[];
  /** The packages that the user of the package installs. */
  readonly peerDependencies: readonly string[];
}

/** A name of a package. It is a part of paths. */
const NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;

/** Finds packages as Node.js does, and in Deno's cache as Deno does. */
export class InstalledPackages {
  readonly #folders: Folders;
  readonly #cache: Readonly<Record<string, NpmPackage>>;
  readonly #native = new Map<string, boolean>();

  /** @param cache The packages of the module graph. */
  constructor(folders: Folders, cache: Readonly<Record<string, NpmPackage>>) {
    this.#folders = folders;
    this.#cache = cache;
  }

  /** The package of a file, or `undefined` for a file of the application. */
  packageOf(file: string, id: string | undefined): InstalledPackage | undefined {
    if (id !== undefined && isInside(file, this.#folders.npmCache)) {
      return { id, folder: realpathSync(this.#cache[id]!.localPath) };
    }
    if (!isPackageFile(file, this.#folders)) return undefined;
    const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(file) ?? [];
    return folder && isThere(join(folder, "package.json")) ? { folder } : undefined;
  }

  /**
   * Finds a package that a package imports.
   *
   * @throws {Error} If a link leads to a folder that is not in `node_modules`.
   */
  find(name: string, { folder, id }: InstalledPackage): InstalledPackage | undefined {
    if (id === undefined) return this.findFrom(folder, name);
    const found = findDependency(name, this.#cache[id]!, this.#cache);
    const { localPath } = this.#cache[found!] ?? {};
    return localPath === undefined || !isThere(localPath)
      ? undefined
      : { id: found, folder: this.#check(name, localPath) };
  }

  /** Finds a package in the folders `node_modules` of a folder and above it. */
  findFrom(start: string, name: string): InstalledPackage | undefined {
    for (let folder = start;; folder = dirname(folder)) {
      const path = join(folder, "node_modules", name);
      if (basename(folder) !== "node_modules" && isThere(join(path, "package.json"))) {
        return { folder: this.#check(name, path) };
      }
      if (folder === dirname(folder)) return undefined;
    }
  }

  #check(name: string, path: string): string {
    const folder = realpathSync(path);
    if (isPackageFile(join(folder, "package.json"), this.#folders)) return folder;
    throw new Error(
      `Cannot copy the package ${JSON.stringify(name)}: the link ${JSON.stringify(path)} leads to ${
        JSON.stringify(folder)
      }, which is not in node_modules`,
    );
  }

  /** Whether there are several versions of a package in the module graph. */
  hasSeveral(id: string): boolean {
    const { name } = this.#cache[id]!;
    const versions = Object.values(this.#cache).filter((one) => one.name === name);
    return new Set(versions.map(({ version }) => version)).size > 1;
  }

  /**
   * Whether a package has a native add-on, or a program, for some system: a file of it, a package for one system that it depends
   * on, or the instructions to build or download one.
   */
  isNative(found: InstalledPackage): boolean {
    const { folder } = found;
    let native = this.#native.get(folder);
    if (native === undefined) this.#native.set(folder, native = this.#looksNative(found));
    return native;
  }

  #looksNative(found: InstalledPackage): boolean {
    const manifest = readManifest(found.folder);
    return isBuilt(found.folder) || manifest.dependencies.some((name) => ADDON_FINDERS.has(name)) ||
      this.platformPackages(found, manifest).length > 0 || hasAddon(found.folder);
  }

  /** The names of those optional packages that are for one system each. */
  platformPackages(found: InstalledPackage, manifest: PackageManifest): string[] {
    return manifest.optionalDependencies.filter((name) => {
      if (limitsInName(name) !== undefined) return true;
      const installed = this.find(name, found);
      return installed !== undefined && readManifest(installed.folder).cpu !== undefined;
    });
  }
}

/** Whether an install script builds or downloads the add-on of a package. */
export function isBuilt(folder: string): boolean {
  if (isThere(join(folder, "binding.gyp"))) return true;
  const { binary } = readJson(folder);
  return typeof binary === "object" && binary !== null && "module_name" in binary;
}

/** Whether a folder has a file `.node`. The packages in its own `node_modules` do not count. */
function hasAddon(folder: string, isTop = true): boolean {
  return readdirSync(folder, { withFileTypes: true }).some((entry) =>
    entry.isDirectory()
      ? !(isTop && entry.name === "node_modules") && hasAddon(join(folder, entry.name), false)
      : entry.isFile() && entry.name.endsWith(".node")
  );
}

/**
 * Reads the `package.json` of a package.
 *
 * @throws {Error} If it is invalid, or has a name or a version that cannot be a part of a path.
 */
export function readManifest(folder: string): PackageManifest {
  const manifest = readJson(folder);
  const namesIn = (value: unknown): string[] => {
    const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
    const wrong = names.find((name) => !NAME.test(name) || name === "node_modules");
    if (wrong === undefined) return names;
    throw new Error(
      `Cannot use ${JSON.stringify(join(folder, "package.json"))}: ${
        JSON.stringify(wrong)
      } is not the name of a package`,
    );
  };
  const { os, cpu, libc, version } = manifest;
  const optional = namesIn(manifest["optionalDependencies"]);
  const meta = Object(manifest["peerDependenciesMeta"]);
  return {
    os,
    cpu,
    libc,
    version: typeof version === "string" && /^[\w.+-]+$/.test(version) ? version : "0.0.0",
    dependencies: namesIn(manifest["dependencies"]).filter((name) => !optional.includes(name)),
    optionalDependencies: optional,
    peerDependencies: namesIn(manifest["peerDependencies"])
      .filter((name) => Object(meta[name]).optional !== true),
  };
}

/** Whether a file or folder exists. This process may not see all folders above the application. */
function isThere(path: string): boolean {
  try {
    return statSync(path) !== undefined;
  } catch {
    return false;
  }
}

function readJson(folder: string): Record<string, unknown> {
  const file = join(folder, "package.json");
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch (error) {
    throw new Error(`Cannot read ${JSON.stringify(file)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
