import { createHash } from "node:crypto";
import type { ArchiveFile } from "../../archives/archive.ts";
import type { Folders } from "../packages/access.ts";
import type { ExternalPackages, MissingAddon, Target } from "../packages/types.ts";
import { formatSize, MAX_UNZIPPED } from "../../archives/sizes.ts";
import { abiOf, systemOf } from "./binaries.ts";
import { InstalledPackages, isBuilt } from "./installed.ts";
import { Layout, type PlacedPackage } from "./layout.ts";
import { filesOf, type PackageFile } from "./package_files.ts";
import type { Platform } from "../packages/platforms.ts";
import { describeMissing, MissingAddonsError, remedyFor } from "./remedies.ts";

/** What packages are copied for. */
export interface CopyOptions {
  readonly platform: Platform;
  readonly target: Target;
}

/** The binary interfaces of Node.js by runtime. */
const ABIS: Readonly<Record<Target, number | undefined>> = {
  deno: undefined,
  "nodejs22.x": 127,
  "nodejs24.x": 137,
  "nodejs26.x": 147,
};

/** Packages and what they need at run time, for one system. */
export class Copy {
  readonly #options: CopyOptions;
  readonly #packages: readonly { readonly own: PlacedPackage; readonly files: PackageFile[] }[];

  /** @throws {Error} If a package is invalid, not installed, or has a link that leads out of it. */
  constructor({ packages, cache }: ExternalPackages, options: CopyOptions, folders: Folders) {
    this.#options = options;
    const installed = new InstalledPackages(folders, cache);
    const { placed } = new Layout(packages, options.platform, installed);
    this.#packages = placed.map((own) => ({ own, files: filesOf(own) }));
  }

  /** Identifies the files without reading them. */
  get stamp(): string {
    const list = this.#packages.map(({ own, files }) => [own.isOptional, files]);
    return createHash("sha256").update(JSON.stringify([list, this.#options])).digest("hex");
  }

  /**
   * Reads the files. Those that were built for other systems are left out.
   *
   * @returns The files, and a warning for packages that are left out because what imports them works without.
   * @throws {Error} If a package has no add-on for the system, or the files are larger than AWS Lambda takes.
   */
  read(): { readonly files: readonly ArchiveFile[]; readonly warnings: readonly string[] } {
    const copied: ArchiveFile[] = [];
    const missing: MissingAddon[] = [];
    const left: MissingAddon[] = [];
    const { platform, target } = this.#options;
    const system = target === "deno" ? "Deno" : `${platform.os}-${platform.cpu}`;
    const sizes = new Map<string, number>();
    let total = 0;
    for (const { own, files } of this.#packages) {
      const { kept, others, hasAddon } = this.#choose(own, files);
      const isMissing = own.platformPackages === undefined
        ? others.length > 0 || isBuilt(own.folder)
        : own.platformPackages === "missing";
      if (isMissing && !hasAddon) {
        const remedy = remedyFor(own, platform, target);
        const absence = { name: own.name, system, others, remedy };
        (own.isOptional ? left : missing).push(absence);
        continue;
      }
      const size = kept.reduce((sum, { data }) => sum + data.length, 0);
      sizes.set(own.path, size);
      total += size;
      if (total <= MAX_UNZIPPED) copied.push(...kept);
    }
    if (missing.length > 0) throw new MissingAddonsError(missing);
    if (total > MAX_UNZIPPED) throw new Error(describeSizes(total, sizes));
    const warnings = left.length === 0 ? [] : [
      `the bundle gets along without native add-ons that it could use: ${describeMissing(left)}`,
    ];
    return { files: copied, warnings };
  }

  /** Reads the files of a package. Leaves out those for others, and tells for which others there are add-ons. */
  #choose({ path: folder }: PlacedPackage, files: readonly PackageFile[]) {
    const { platform, target } = this.#options;
    const kept: ArchiveFile[] = [];
    const others = new Set<string>();
    let isOfOtherNode = false;
    let hasAddon = false;
    let isRegistered = false;
    for (const { path, file, isExecutable } of files) {
      const data = Deno.readFileSync(file);
      const isAddon = path.endsWith(".node");
      const abi = isAddon ? abiOf(data) : undefined;
      const isOther = typeof abi === "number" && abi !== ABIS[target];
      const other = systemBeside(platform, path.slice(folder.length), data);
      if (other === undefined && !isOther) {
        kept.push({ path, data, isExecutable });
        hasAddon ||= isAddon;
        isRegistered ||= abi !== undefined;
      } else if (isAddon) {
        others.add(
          other ?? `the version ${abi} of the modules of Node.js, and not ${ABIS[target]}`,
        );
        isOfOtherNode ||= other === undefined;
      }
    }
    // Beside an add-on for another Node.js, a library without a version does not count as an add-on.
    return {
      kept,
      others: [...others].sort(),
      hasAddon: hasAddon && (isRegistered || !isOfOtherNode),
    };
  }
}

/** Tells for which other system a file was built. */
function systemBeside({ os, cpu }: Platform, path: string, data: Uint8Array): string | undefined {
  const system = systemOf(data);
  const isAddon = path.endsWith(".node");
  if (system === undefined) return isAddon ? "no system" : undefined;
  if (system.os !== os || (system.cpu ?? cpu) !== cpu) {
    return system.cpu === undefined ? system.os : `${system.os}-${system.cpu}`;
  }
  return isAddon && /(?:\b|linux)musl/.test(path) ? `${os}-${cpu} with musl` : undefined;
}

function describeSizes(total: number, sizes: ReadonlyMap<string, number>): string {
  const list = [...sizes].sort(([, a], [, b]) => b - a).slice(0, 5)
    .map(([path, size]) => `${path} has ${formatSize(size)}`);
  return `The packages to copy have ${formatSize(total)}, and AWS Lambda takes at most ${
    formatSize(MAX_UNZIPPED)
  }: ${list.join(", ")}`;
}
