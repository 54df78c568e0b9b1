/**
 * The code cache: the compiled code of a function's modules. It halves the cold start of a large function. Deno keeps it in
 * private databases.
 *
 * 1. The function runs in a mount namespace with Lambda's paths until it asks for an invocation. Meanwhile, Deno writes its
 *    cache to `DENO_DIR`. The bootstrap forbids the function to write there.
 * 2. The rows of Deno's databases are copied to new databases. No other file of the process is read.
 * 3. One function is started again from read-only files. Deno and V8 must take the compiled code from the copy. Whether they do
 *    depends on the machine and on Deno, which are the same for all functions.
 *
 * @module
 */
import type { Application } from "../application/types.ts";
import { detectIsolation, makeTmp } from "../lambda/isolation/isolation.ts";
import { type ArchiveFile, writeFiles } from "../archives/archive.ts";
import type { Parts } from "../programs/kept.ts";
import { type Architecture, ownArchitecture } from "../programs/pinned_packages.ts";
import { writeLayer } from "../runtime/layer.ts";
import { compiledSpecifiers, copyCaches } from "./database.ts";
import { startAll, type StartOptions, writeFunction } from "./start_all.ts";
import { MachineError, startEnvironment, startFunction, type WarmStart } from "./warm_start.ts";

export interface CodeCacheOptions extends StartOptions {
  readonly architecture: Architecture;
  /** Identifies its layer. */
  readonly id: string;
  /** The files of its layer without Deno. */
  readonly files: readonly ArchiveFile[];
  /** Finds the Deno of its layer, which takes some time. */
  readonly deno: () => Promise<string>;
  /** Takes the files of a function's cache as soon as they are there. */
  readonly onCache?: ((name: string, files: readonly ArchiveFile[]) => void) | undefined;
}

const MODULES = ["file:///opt/mate/bootstrap.js", "file:///var/task/index.mjs"];
/** How often the compiled code is looked for. On a busy machine, each look takes longer, as does the work of Deno. */
const LOOKS = 400;

const SLOWER = "The bundles are correct but start more slowly";

/**
 * Adds the code cache for an architecture to every function.
 *
 * @param functions The functions' files; the caches are added to them.
 * @returns Warnings: the functions that have no cache, and why.
 * @throws {Error} If the handler of a function is missing or invalid, if its module throws, or if the signal ends the work.
 */
export async function addCodeCaches(
  application: Application,
  functions: ReadonlyMap<string, ArchiveFile[]>,
  { architecture, signal, kept, id, onStart, onCache, ...options }: CodeCacheOptions,
): Promise<string[]> {
  const warnings: string[] = [];
  const isOwn = architecture === ownArchitecture();
  if (!isOwn) {
    const own = ownArchitecture() ?? `${Deno.build.os} on ${Deno.build.arch}`;
    warnings.push(`No code cache for ${architecture}: this machine is ${own}. ${SLOWER}`);
  }
  const isolation = options.isolation ?? await detectIsolation();
  if (isolation.kind === "plain folders") {
    if (isOwn) warnings.push(`No code cache: functions run in ${isolation.description}. ${SLOWER}`);
    return warnings;
  }
  const startable = [...functions].map(([name, files]) => {
    const settings = application.functions[name]!;
    return { name, files, settings, environment: startEnvironment(settings) };
  });
  let layer: Promise<void> | undefined;
  /** The start from a cache that was made before. */
  let check: Promise<void> | undefined;
  const key = ["code", id, isolation.kind, architecture] as const;
  const found = await startAll(startable, kept, key, async (one, folder) => {
    await (layer ??= writeLayer(`${folder}/layer`, options.files));
    // If the machine has another architecture, its own Deno finds out whether the module throws.
    const deno = isOwn ? await options.deno() : Deno.execPath();
    const folders = { ...await writeFunction(folder, one), layer: `${folder}/layer`, deno };
    const { name, environment } = one;
    const { workLimit } = options;
    const start = { folders, environment, isolation, signal, onStart, workLimit };
    if (!isOwn) {
      await startFunction(start);
      return new Map();
    }
    const copy = `${folder}/copy-${name}`;
    await Deno.mkdir(copy);
    const cache = await makeCache(start, copy, `mate/cache-${architecture}`);
    const startAgain = async () => {
      await writeFiles(folders.task, filesOf(cache));
      const tmp = await makeTmp(folder); // without the files of the first start
      await checkCache({ ...start, folders: { ...folders, tmp } });
    };
    const isChecked = check !== undefined && await check.then(() => true, () => false);
    if (!isChecked) await (check = startAgain());
    return cache;
  }, ({ name, files }, parts) => {
    const cache = filesOf(parts);
    files.push(...cache);
    if (cache.length > 0) onCache?.(name, cache);
  });
  for (const [index, { name }] of startable.entries()) {
    const one = found[index]!;
    if (one instanceof Error) warnings.push(warningOf(name, architecture, one));
  }
  return warnings;
}

const filesOf = (parts: Parts) => [...parts].map(([path, data]) => ({ path, data }));

/** Makes the cache of one function. */
async function makeCache(start: WarmStart, copy: string, place: string): Promise<Parts> {
  const { tmp } = start.folders;
  const environment = { ...start.environment, DENO_DIR: "/tmp/deno" }; // With this variable, Deno keeps its code.
  await startFunction({ ...start, environment }, () => waitForCode(`${tmp}/deno`));
  const files = copyCaches(`${tmp}/deno`, copy);
  return new Map([...files].map(([name, data]) => [`${place}/${name}`, data]));
}

/** Starts a function with its cache, and throws if Deno or V8 do not take the cache. */
async function checkCache(start: WarmStart): Promise<void> {
  const environment = { ...start.environment, DENO_LOG: "debug" };
  const log = await startFunction({ ...start, environment });
  if (log.includes("Updating V8 code cache")) {
    throw new MachineError("V8 does not take the compiled code");
  }
  const isFound = MODULES.every((url) => log.includes(`V8 code cache hit for ES module: ${url}`));
  if (!isFound) throw new MachineError("Deno does not find the compiled code");
}

/** Waits until Deno has kept the code of the modules, and has added nothing for 75 ms. */
async function waitForCode(denoDir: string): Promise<void> {
  let before = -1;
  let unchanged = 0;
  for (let rest = LOOKS; rest > 0; rest--) {
    const kept = compiledSpecifiers(denoDir);
    unchanged = kept.length === before ? unchanged + 1 : 0;
    before = kept.length;
    if (unchanged >= 3 && MODULES.every((url) => kept.includes(url))) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new MachineError("Deno keeps no compiled code");
}

function warningOf(name: string, architecture: Architecture, error: Error): string {
  return error instanceof MachineError
    ? `No code cache for the function "${name}" on ${architecture}: ${error.message}. ${SLOWER}`
    : `No code cache for the function "${name}", which may not start on Lambda either: ${error.message}`;
}
