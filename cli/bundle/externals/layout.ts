import type { ExternalPackage } from "../packages/types.ts";
import { type InstalledPackage, type InstalledPackages, readManifest } from "./installed.ts";
import { fits, limitsInName, type Platform } from "../packages/platforms.ts";

/** A package in a folder `node_modules` of a zip. */
export interface PlacedPackage extends InstalledPackage {
  readonly name: string;
  /** The folder in the zip. */
  readonly path: string;
  /** Whether what imports the package works without it. */
  isOptional: boolean;
  /** Whether the packages for the system are installed, if the package depends on packages for one system each. */
  platformPackages?: "installed" | "missing";
  /** The package in whose `node_modules` it is. */
  readonly parent: PlacedPackage | undefined;
  /** The packages in its `node_modules`. */
  readonly children: Map<string, PlacedPackage>;
}

/**
 * Places packages and everything that they need at run time, so that Node.js finds each where it is imported. A package is at the
 * top, or in the package that needs another version than that at the top.
 */
export class Layout {
  readonly #platform: Platform;
  readonly #installed: InstalledPackages;
  readonly #top = new Map<string, PlacedPackage>();
  readonly #placed: PlacedPackage[] = [];

  /**
   * @throws {Error} If a package is invalid, a needed package is not installed, or packages need each other in several versions.
   */
  constructor(
    packages: readonly ExternalPackage[],
    platform: Platform,
    installed: InstalledPackages,
  ) {
    this.#platform = platform;
    this.#installed = installed;
    for (const { name, folder, id, isOptional } of packages) {
      if (isOptional && !fits(readManifest(folder), platform)) continue;
      this.#place(name, { folder, id }, isOptional, undefined);
    }
    // The loop also visits those that it adds.
    for (const own of this.#placed) this.#placeNeeds(own);
  }

  get placed(): readonly PlacedPackage[] {
    return this.#placed;
  }

  #place(
    name: string,
    found: InstalledPackage,
    isOptional: boolean,
    parent: PlacedPackage | undefined,
  ): void {
    const path = `${parent === undefined ? "" : `${parent.path}/`}node_modules/${name}`;
    const made = { ...found, name, path, isOptional, parent, children: new Map() };
    (parent?.children ?? this.#top).set(name, made);
    this.#placed.push(made);
  }

  #placeNeeds(own: PlacedPackage): void {
    const manifest = readManifest(own.folder);
    for (const name of manifest.dependencies) {
      if (this.#need(own, name, own.isOptional)) continue;
      throw new Error(
        `Cannot copy the package "${own.name}": it needs "${name}", which is not installed; install the packages again`,
      );
    }
    for (const name of manifest.peerDependencies) this.#need(own, name, true);
    const platformPackages = this.#installed.platformPackages(own, manifest);
    const ofSystem = platformPackages.filter((name) => this.#isForSystem(own, name));
    const missing = manifest.optionalDependencies.filter((name) =>
      !this.#need(own, name, own.isOptional || !ofSystem.includes(name))
    );
    if (platformPackages.length === 0) return;
    const isThere = ofSystem.length > 0 && !ofSystem.some((name) => missing.includes(name));
    own.platformPackages = isThere ? "installed" : "missing";
  }

  #isForSystem(own: PlacedPackage, name: string): boolean {
    const found = this.#installed.find(name, own);
    const limits = found === undefined ? limitsInName(name)! : readManifest(found.folder);
    return fits(limits, this.#platform);
  }

  /** Places a package unless Node.js finds it already. Returns `false` if the package is not installed. */
  #need(own: PlacedPackage, name: string, isOptional: boolean): boolean {
    const found = this.#installed.find(name, own);
    if (found === undefined) return false;
    if (isOptional && !fits(readManifest(found.folder), this.#platform)) return true;
    const seen = this.#seenFrom(own, name);
    if (seen !== undefined && isSame(seen, found)) seen.isOptional &&= isOptional;
    else {
      if (seen !== undefined) checkCircle(own, name, found);
      this.#place(name, found, isOptional, seen === undefined ? undefined : own);
    }
    return true;
  }

  /** Finds what Node.js finds for an import in a package. */
  #seenFrom(own: PlacedPackage, name: string): PlacedPackage | undefined {
    for (let place: PlacedPackage | undefined = own; place; place = place.parent) {
      const seen = place.children.get(name);
      if (seen !== undefined) return seen;
    }
    return this.#top.get(name);
  }
}

function isSame(some: InstalledPackage, other: InstalledPackage): boolean {
  return some.folder === other.folder && some.id === other.id;
}

/** Refuses a package within itself: the folders would have no end. */
function checkCircle(own: PlacedPackage, name: string, found: InstalledPackage): void {
  for (let place: PlacedPackage | undefined = own; place; place = place.parent) {
    if (!isSame(place, found)) continue;
    throw new Error(
      `Cannot copy the package "${name}": it and "${own.name}" need each other in several versions; install one version of each`,
    );
  }
}
