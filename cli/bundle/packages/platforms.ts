import type { Architecture } from "../../programs/pinned_packages.ts";

/** The system that a function runs on. A Linux has glibc, as on AWS Lambda. */
export interface Platform {
  readonly os: "linux" | "darwin";
  /** The processor; `none` on Deno, where a function runs no native code of packages. */
  readonly cpu: "x64" | "arm64" | "none";
}

/** What a package may say about systems in its `package.json`. Each value is a list, or missing. */
export interface SystemLimits {
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly libc?: unknown;
}

/** The system of AWS Lambda. */
export function platformOf(architecture: Architecture): Platform {
  return { os: "linux", cpu: architecture === "arm64" ? "arm64" : "x64" };
}

/** The system of this machine. */
export function ownPlatform(): Platform {
  return {
    os: Deno.build.os === "darwin" ? "darwin" : "linux",
    cpu: Deno.build.arch === "aarch64" ? "arm64" : "x64",
  };
}

/** Whether a package is for a system. */
export function fits({ os, cpu, libc }: SystemLimits, platform: Platform): boolean {
  return allows(os, platform.os) && allows(cpu, platform.cpu) &&
    (platform.os !== "linux" || allows(libc, "glibc"));
}

function allows(list: unknown, value: string): boolean {
  const names = [list].flat().filter((name) => typeof name === "string");
  const allowed = names.filter((name) => !name.startsWith("!"));
  return !names.includes(`!${value}`) &&
    (allowed.length === 0 || allowed.includes(value) || allowed.includes("any"));
}

/** The words for systems in names of packages, such as `@img/sharp-linuxmusl-x64`. */
const SYSTEM =
  /^(linux(musl)?|darwin|macos|win32|windows|android|(free|net|open)bsd|openharmony|sunos|aix)$/;

/** The words for processors. */
const PROCESSOR =
  /^(x64|amd64|x86_64|64|arm64|aarch64|arm|armv7|ia32|x86|universal|loong64|mips64el|ppc64(le)?|riscv64|s390x)$/;

/** The words of Node.js for those that it names otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  linuxmusl: "linux",
  macos: "darwin",
  windows: "win32",
  amd64: "x64",
  x86_64: "x64",
  64: "x64",
  aarch64: "arm64",
  armv7: "arm",
  x86: "ia32",
  universal: "any",
};

/**
 * Tells for which system a package is, by its name: a package that is not installed has no `package.json`. Returns `undefined` if
 * the name does not tell a system and a processor.
 */
export function limitsInName(name: string): SystemLimits | undefined {
  const words = name.toLowerCase().split(/[^a-z0-9_]+/);
  const os = words.findLast((word) => SYSTEM.test(word));
  const cpu = words.findLast((word) => PROCESSOR.test(word));
  if (os === undefined || cpu === undefined) return undefined;
  return {
    os: NAMES[os] ?? os,
    cpu: NAMES[cpu] ?? cpu,
    ...words.some((word) => word.includes("musl")) && { libc: "musl" },
  };
}
