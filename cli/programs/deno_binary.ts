import { parseTarGzip } from "nanotar";
import { cacheFolder, checksumOf, download, ifThere, keep, programFolder } from "./downloads.ts";

/** An architecture that Lambda has. */
export type Architecture = "x86_64" | "arm64";

/** The architectures that Lambda has. */
export const ARCHITECTURES: readonly Architecture[] = ["x86_64", "arm64"];

/** The version of Deno in the layer: the newest that npm has for both architectures. */
export const DENO_VERSION = "2.9.5";

/** An npm package with a program for one system. */
export interface DenoPackage {
  /** The name of the package. */
  readonly name: string;
  /** The version of the package and of the program. */
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

/** An npm package with a program, and the checksum of the program. */
export interface ProgramPackage extends DenoPackage {
  /** The checksum of the program in the package. */
  readonly program: string;
}

/** Returns the architecture of this machine; `undefined` if the machine does not run Linux. */
export function ownArchitecture(): Architecture | undefined {
  if (Deno.build.os !== "linux") return undefined;
  return Deno.build.arch === "aarch64" ? "arm64" : "x86_64";
}

/** The registry of a program, and the folder of downloads. */
export interface DenoSource {
  /** The npm registry; `NPM_CONFIG_REGISTRY` or npm's own by default. */
  readonly registry?: string | undefined;
  /** The folder that keeps tarballs between runs; `mate` in the user's folder of caches by default. */
  readonly cache?: string | undefined;
  /** Ends the download early. */
  readonly signal?: AbortSignal | undefined;
}

/** Gets Deno's executable; see {@linkcode getProgram}. */
export function getDenoBinary(
  package_: DenoPackage,
  source?: DenoSource,
): Promise<Uint8Array> {
  return getProgram(package_, "deno", source);
}

/**
 * Gets a program from its npm package in the cache or in the registry.
 *
 * @throws {Error} If the package cannot be downloaded, or its hash is not the pinned hash. A wrong package is not kept.
 */
async function getProgram(
  package_: DenoPackage,
  program: string,
  source: DenoSource = {},
): Promise<Uint8Array> {
  const { name, version, integrity } = package_;
  const cache = source.cache ?? cacheFolder();
  const file = `${cache}/${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  let tarball = await ifThere(Deno.readFile(file));
  if (tarball === undefined || await checksumOf(tarball, integrity) !== integrity) {
    tarball = await download(urlOf(package_, source), integrity, { signal: source.signal });
    await keep(file, tarball);
  }
  const [entry] = (await parseTarGzip(tarball)).filter((item) =>
    item.name === `package/${program}`
  );
  if (entry?.data !== undefined) return entry.data;
  throw new Error(
    `Cannot unpack "${name}@${version}": the package does not contain "package/${program}"`,
  );
}

/**
 * Finds a program that is kept in a folder of its own: beside the folder of downloads, because other programs of the tool may
 * write there. The program is compared with its checksum before every run.
 *
 * @param path The path of the program in its package.
 * @param folder What the name of the folder ends with.
 * @throws {Error} If the package cannot be downloaded, or if its checksum is wrong.
 */
export async function keepProgram(
  package_: ProgramPackage,
  path: string,
  folder: string,
  source: DenoSource = {},
): Promise<string> {
  const program = `${programFolder(folder, source.cache)}/${path.split("/").at(-1)}`;
  const cached = await ifThere(Deno.readFile(program));
  if (cached === undefined || await checksumOf(cached, package_.program) !== package_.program) {
    await keep(program, await getProgram(package_, path, source));
  }
  await Deno.chmod(program, 0o755);
  return program;
}

function urlOf({ name, version }: DenoPackage, { registry }: DenoSource): string {
  const base = registry ?? (Deno.env.get("NPM_CONFIG_REGISTRY") ||
    Deno.env.get("npm_config_registry") || "https://registry.npmjs.org");
  return `${base.replace(/\/$/, "")}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
}
