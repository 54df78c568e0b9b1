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
const SYSTEMS = {
  linux: "linux",
  linuxmusl: "linux",
  darwin: "darwin",
  macos: "darwin",
  win32: "win32",
  windows: "win32",
  android: "android",
  freebsd: "freebsd",
  netbsd: "netbsd",
  openbsd: "openbsd",
  openharmony: "openharmony",
  sunos: "sunos",
  aix: "aix",
} as const;

/** The words for processors in names of packages. */
const PROCESSORS = {
  x64: "x64",
  amd64: "x64",
  x86_64: "x64",
  64: "x64",
  arm64: "arm64",
  aarch64: "arm64",
  arm: "arm",
  armv7: "arm",
  ia32: "ia32",
  x86: "ia32",
  universal: "any",
  loong64: "loong64",
  mips64el: "mips64el",
  ppc64: "ppc64",
  ppc64le: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
} as const;

/**
 * Tells for which system a package is, by its name: a package that is not installed has no `package.json`. Returns `undefined` if
 * the name does not tell a system and a processor.
 */
export function limitsInName(name: string): SystemLimits | undefined {
  const words = name.toLowerCase().split(/[^a-z0-9_]+/);
  const valueOf = (list: Readonly<Record<string, string>>) =>
    list[words.findLast((word) => Object.hasOwn(list, word)) ?? ""];
  const os = valueOf(SYSTEMS);
  const cpu = valueOf(PROCESSORS);
  if (os === undefined || cpu === undefined) return undefined;
  return { os, cpu, ...words.some((word) => word.includes("musl")) && { libc: "musl" } };
}
