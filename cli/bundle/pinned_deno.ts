/** An architecture that Lambda has. */
export type Architecture = "x86_64" | "arm64";

/** The architectures that Lambda has. */
export const ARCHITECTURES: readonly Architecture[] = ["x86_64", "arm64"];

/** The version of Deno in the layer: the newest that npm has for both architectures. */
export const DENO_VERSION = "2.9.5";

/** The npm package with Deno for an architecture. */
export interface DenoPackage {
  /** The name of the package. */
  readonly name: string;
  /** The version of the package and of Deno. */
  readonly version: string;
  /** The integrity of its tarball, as `npm view <name>@<version> dist.integrity` prints it. */
  readonly integrity: string;
}

/** The packages, by architecture. A new version needs new integrities. */
export const DENO_PACKAGES: Readonly<Record<Architecture, DenoPackage>> = {
  x86_64: {
    name: "@deno/linux-x64-glibc",
    version: DENO_VERSION,
    integrity:
      "sha512-TDqcnoLe3jlgqYEQm7H7MK6q0JOth+o8iSZzknRODnVkJfPiNnjVn1M1Zc6vnp+ipkyb6Av1/CUlHgHtlq59Gw==",
  },
  arm64: {
    name: "@deno/linux-arm64-glibc",
    version: DENO_VERSION,
    integrity:
      "sha512-IuYjsz9PGl7CJcNXMuN27KNDB8Q40brK3SG3l+TXMDVW61ZKwcn0fQHBHnXFiiygEwI8by/fKnASEluhZB1atw==",
  },
};

/** Returns the architecture of this machine; `undefined` if the machine does not run Linux. */
export function ownArchitecture(): Architecture | undefined {
  if (Deno.build.os !== "linux") return undefined;
  return Deno.build.arch === "aarch64" ? "arm64" : "x86_64";
}
