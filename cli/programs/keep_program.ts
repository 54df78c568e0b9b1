import { parseTarGzip } from "nanotar";
import { basename } from "node:path";
import { checksumOfFile, download, ifThere, keep } from "./downloads.ts";
import { programFolder, type ProgramPackage } from "./pinned_packages.ts";

/** The registry of a program, and the folder of caches. */
export interface ProgramSource {
  /** The npm registry; `NPM_CONFIG_REGISTRY` or npm's own by default. */
  readonly registry?: string | undefined;
  /** The folder beside which programs are kept; `mate` in the user's folder of caches by default. */
  readonly cache?: string | undefined;
  /** Ends the download early. */
  readonly signal?: AbortSignal | undefined;
}

/** What this process has compared with a checksum: the checksum, the time and the size of each program, by its path. */
const compared = new Map<string, string>();

/**
 * Finds a program in the user's folder of caches, or gets it from its npm package in the registry. The program is compared with
 * its checksum before every run. Within one run, its time and size decide, because to read Node.js takes long.
 *
 * @throws {Error} If the package cannot be downloaded, or if its checksum is wrong. A wrong package is not kept.
 */
export async function keepProgram(
  package_: ProgramPackage,
  { registry, cache, signal }: ProgramSource = {},
): Promise<string> {
  const { name, version, path, integrity, program: checksum } = package_;
  const program = `${programFolder(package_, cache)}/${basename(path)}`;
  const before = await ifThere(Deno.stat(program));
  const facts = before && [checksum, before.ino, before.size, before.mtime?.getTime()].join();
  if (facts !== undefined && compared.get(program) === facts) return program;
  if (await ifThere(checksumOfFile(program)) !== checksum) {
    const base = registry ?? (Deno.env.get("NPM_CONFIG_REGISTRY") ||
      Deno.env.get("npm_config_registry") || "https://registry.npmjs.org");
    const url = `${base.replace(/\/$/, "")}/${name}/-/${basename(name)}-${version}.tgz`;
    const tarball = await download(url, integrity, { signal });
    const file = (await parseTarGzip(tarball)).find((item) => item.name === `package/${path}`);
    if (file?.data === undefined) {
      const problem = `the package does not contain "package/${path}"`;
      throw new Error(`Cannot unpack "${name}@${version}": ${problem}`);
    }
    await keep(program, file.data);
  } else if (facts !== undefined) compared.set(program, facts);
  await Deno.chmod(program, 0o755);
  return program;
}
