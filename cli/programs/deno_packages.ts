import { programFolder } from "./downloads.ts";

/** An architecture that Lambda has. */
export type Architecture = "x86_64" | "arm64";

/** The architectures that Lambda has. */
export const ARCHITECTURES: readonly Architecture[] = ["x86_64", "arm64"];

/** The version of Deno in the layer: the newest that npm has for both architectures. */
export const DENO_VERSION = "2.9.5";

/** An npm package with a program for one system. */
export interface ProgramPackage {
  /** The name of the package. */
  readonly name: string;
  /** The version of the package and of the program. */
  readonly version: string;
  /** The integrity of its tarball, as `npm view <name>@<version> dist.integrity` prints it. */
  readonly integrity: string;
  /** The checksum of the program in the package, in the same form. */
  readonly program: string;
}

/** The packages, by architecture. A new version needs new checksums. */
export const DENO_PACKAGES: Readonly<Record<Architecture, ProgramPackage>> = {
  x86_64: {
    name: "@deno/linux-x64-glibc",
    version: DENO_VERSION,
    integrity:
      "sha512-TDqcnoLe3jlgqYEQm7H7MK6q0JOth+o8iSZzknRODnVkJfPiNnjVn1M1Zc6vnp+ipkyb6Av1/CUlHgHtlq59Gw==",
    program: "sha256-3EgMRiyMNYJSTz51wWBhPQqXXh9mtUZZldWLriNtp9M=",
  },
  arm64: {
    name: "@deno/linux-arm64-glibc",
    version: DENO_VERSION,
    integrity:
      "sha512-IuYjsz9PGl7CJcNXMuN27KNDB8Q40brK3SG3l+TXMDVW61ZKwcn0fQHBHnXFiiygEwI8by/fKnASEluhZB1atw==",
    program: "sha256-4acMXrA7Drr3YQdwKe+Guboi1Q4rVMpFzlQ3RX9wG2M=",
  },
};

/** The folders in which {@linkcode findDeno} keeps the pinned versions. */
export function denoFolders(): string[] {
  return Object.values(DENO_PACKAGES).map((package_) => programFolder(fileName(package_)));
}

/** The name of the folder and of the tarball of a package. */
export function fileName({ name, version }: ProgramPackage): string {
  return `${name.replace("@", "").replace("/", "-")}-${version}`;
}
