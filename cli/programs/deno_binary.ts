import { parseTarGzip } from "nanotar";
import { type Architecture, fileName, type ProgramPackage } from "./deno_packages.ts";
import { cacheFolder, checksumOf, download, ifThere, keep, programFolder } from "./downloads.ts";

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

/** Finds Deno's executable in the user's folder of caches; see {@linkcode keepProgram}. */
export function findDeno(package_: ProgramPackage, source?: DenoSource): Promise<string> {
  return keepProgram(package_, "deno", fileName(package_), source);
}

/**
 * Gets a program from its npm package in the cache or in the registry.
 *
 * @throws {Error} If the package cannot be downloaded, or its hash is not the pinned hash. A wrong package is not kept.
 */
async function getProgram(
  package_: ProgramPackage,
  program: string,
  source: DenoSource = {},
): Promise<Uint8Array> {
  const { name, version, integrity } = package_;
  const cache = source.cache ?? cacheFolder();
  const file = `${cache}/${fileName(package_)}.tgz`;
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

function urlOf({ name, version }: ProgramPackage, { registry }: DenoSource): string {
  const base = registry ?? (Deno.env.get("NPM_CONFIG_REGISTRY") ||
    Deno.env.get("npm_config_registry") || "https://registry.npmjs.org");
  return `${base.replace(/\/$/, "")}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
}
