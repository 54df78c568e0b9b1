import { parseTarGzip } from "nanotar";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  cacheFolder,
  checksumOfFile,
  download,
  ifThere,
  keep,
  makeExecutable,
  Progress,
  registryOf,
} from "./downloads.ts";
import { programFolder, type ProgramPackage } from "./pinned_packages.ts";

/** The registry of a program, and the folder of caches. */
export interface ProgramSource {
  /** The npm registry; `NPM_CONFIG_REGISTRY` or npm's own by default. */
  readonly registry?: string | undefined;
  /** The folder beside which programs are kept; `mate` in the user's folder of caches by default. */
  readonly cache?: string | undefined;
  /** The size of all programs together, in bytes; 1 GB by default. */
  readonly limit?: number | undefined;
  /** The time without a byte after which a download ends, in milliseconds; 30 s by default. */
  readonly patience?: number | undefined;
  /** The name of the program for people, such as `Node.js 24`; by default that of its package. */
  readonly title?: string | undefined;
  /** Ends the download early. */
  readonly signal?: AbortSignal | undefined;
}

const LIMIT = 1024 * 1024 * 1024;

/** The age of a part of a file that nobody writes any more, in milliseconds. */
const LEFT = 60_000;

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
  source: ProgramSource = {},
): Promise<string> {
  const program = `${programFolder(package_, source.cache)}/${basename(package_.path)}`;
  const before = await ifThere(Deno.stat(program));
  const facts = before &&
    [package_.program, before.ino, before.size, before.mtime?.getTime()].join();
  if (facts !== undefined && compared.get(program) === facts) return program;
  const isThere = async () => await ifThere(checksumOfFile(program)) === package_.program;
  if (await isThere()) {
    if (facts !== undefined) compared.set(program, facts);
  } else {
    const title = source.title ?? package_.name;
    await using _lock = await lockDownload(dirname(program), title, source.signal);
    if (!await isThere()) await downloadProgram(package_, program, source);
  }
  await makeExecutable(program);
  // A cache that is read-only, or that belongs to another user, stays as it is.
  await markUse(dirname(program)).catch(() => {});
  return program;
}

async function downloadProgram(
  { name, version, path, integrity }: ProgramPackage,
  program: string,
  { registry, cache, title, signal, patience, limit = LIMIT }: ProgramSource,
): Promise<void> {
  const tarballPath = `${name}/-/${basename(name)}-${version}.tgz`;
  const url = registry === undefined
    ? registryOf(tarballPath)
    : `${registry.replace(/\/$/, "")}/${tarballPath}`;
  const what = `the package "${name}@${version}"`;
  const tarball = await download(url, { what, title, checksum: integrity, signal, patience });
  const file = (await parseTarGzip(tarball)).find((item) => item.name === `package/${path}`);
  if (file?.data === undefined) {
    const problem = `the package does not contain "package/${path}"`;
    throw new Error(`Cannot unpack "${name}@${version}": ${problem}`);
  }
  await keep(program, file.data);
  const removing = removeUnused(dirname(program), cache ?? cacheFolder(), limit);
  await removing.catch(() => {}); // A deployment sees its own programs only, and another process may remove the same.
}

/**
 * Keeps others, who need the same program, from downloading it meanwhile: they wait, and find it. Without the lock, which a user
 * may not be allowed to make, each downloads it.
 */
async function lockDownload(
  folder: string,
  title: string,
  signal: AbortSignal | undefined,
): Promise<AsyncDisposable | undefined> {
  const path = `${folder}.lock`;
  let lock: Deno.FsFile;
  try {
    await Deno.mkdir(dirname(folder), { recursive: true });
    lock = await Deno.open(path, { write: true, create: true });
  } catch {
    return undefined; // If the program cannot be kept either, that is the problem to tell.
  }
  using _progress = new Progress(`${title}: another process does it`);
  try {
    while (!await lock.tryLock(true)) await delay(100, undefined, { signal });
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      await Deno.remove(path).catch(() => {}); // The one before may have removed it.
      lock.unlockSync();
      lock.close();
    },
  };
}

/** Sets the time of a folder, so that it is known which programs are used. Removes what a killed download has left there. */
async function markUse(folder: string): Promise<void> {
  const now = new Date();
  await Deno.utime(folder, now, now);
  for await (const { name } of Deno.readDir(folder)) {
    if (!/\.[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name)) continue;
    const { mtime } = await Deno.stat(`${folder}/${name}`);
    if (now.getTime() - (mtime?.getTime() ?? 0) > LEFT) await Deno.remove(`${folder}/${name}`);
  }
}

/** Removes the programs that were not used for the longest time, until all of them together are small enough. */
async function removeUnused(own: string, cache: string, limit: number): Promise<void> {
  const parent = dirname(cache);
  const folders = [];
  for await (const { name, isDirectory } of Deno.readDir(parent)) {
    if (!isDirectory || !name.startsWith(`${basename(cache)}-`)) continue;
    const path = `${parent}/${name}`;
    const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => `${path}/${name}`);
    const sizes = await Promise.all(names.map(async (file) => (await Deno.stat(file)).size));
    const time = (await Deno.stat(path)).mtime?.getTime() ?? 0;
    folders.push({ path, size: sizes.reduce((sum, size) => sum + size, 0), time });
  }
  let total = folders.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of folders.sort((a, b) => a.time - b.time)) {
    if (total <= limit) return;
    if (path === own) continue;
    total -= size;
    await Deno.remove(path, { recursive: true });
  }
}
