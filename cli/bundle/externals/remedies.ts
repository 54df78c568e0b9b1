import { sep } from "node:path";
import type { MissingAddon, Target } from "../packages/types.ts";
import type { PlacedPackage } from "./layout.ts";
import { ownPlatform, type Platform } from "../packages/platforms.ts";

/** Packages that a function needs have no add-on for the system. */
export class MissingAddonsError extends Error {
  override name = "MissingAddonsError";
  readonly missing: readonly MissingAddon[];

  constructor(missing: readonly MissingAddon[]) {
    super(describeMissing(missing));
    this.missing = missing;
  }
}

/** Describes packages without an add-on, in one sentence for each remedy. */
export function describeMissing(missing: readonly MissingAddon[]): string {
  const groups = Map.groupBy(missing, ({ system, remedy }) => `${system}: ${remedy}`);
  return [...groups].map(([end, list]) => {
    const names = new Set(
      list.map(({ name, others }) =>
        `"${name}"${others.length === 0 ? "" : ` (it has one for ${others.join(", ")})`}`
      ),
    );
    const subject = names.size === 1 ? "package" : "packages";
    const verb = names.size === 1 ? "has" : "have";
    return `the ${subject} ${[...names].join(", ")} ${verb} no native add-on for ${end}`;
  }).join("\n");
}

/** The program that has installed a package. */
function managerOf({ folder, id }: PlacedPackage): "npm" | "pnpm" | "deno" {
  if (id !== undefined || folder.includes(`${sep}.deno${sep}`)) return "deno";
  return folder.includes(`${sep}.pnpm${sep}`) ? "pnpm" : "npm";
}

/**
 * Names the command that fetches an add-on: a package for the system, or what an install script downloads or builds. For the
 * system of this machine, only the version of Node.js may be another one.
 */
export function remedyFor(own: PlacedPackage, { os, cpu }: Platform, target: Target): string {
  if (target === "deno") return 'give the function "runtime": "nodejs24.x"';
  const manager = managerOf(own);
  const here = ownPlatform();
  const isHere = os === here.os && cpu === here.cpu;
  const libc = os === "linux";
  if (own.platformPackages !== undefined) {
    if (isHere) return `run "${manager} install"`;
    return manager === "deno"
      ? `run "deno install --os=${os} --arch=${cpu}"`
      : `run "${manager} install --os=${os} --cpu=${cpu}${libc ? " --libc=glibc" : ""}"`;
  }
  const system = `npm_config_platform=${os} npm_config_arch=${cpu}${
    libc ? " npm_config_libc=glibc" : ""
  } `;
  const settings = `${isHere ? "" : system}npm_config_target=${/\d+/.exec(target)![0]}.0.0`;
  return manager === "deno"
    ? `set "nodeModulesDir": "manual" in deno.json, and run "${settings} deno install --allow-scripts=npm:${own.name}"`
    : `run "${settings} ${manager} rebuild ${own.name}"`;
}
