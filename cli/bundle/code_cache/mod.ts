/**
 * The code cache: the compiled code of a function's modules. It halves the cold start of a large function. Deno keeps it in
 * private databases.
 *
 * 1. The function runs in a mount namespace with Lambda's paths until it asks for an invocation. Meanwhile, Deno writes its
 *    cache to `DENO_DIR`. The bootstrap forbids the function to write there.
 * 2. The rows of Deno's databases are copied to new databases. No other file of the process is read.
 * 3. A function is started again from read-only files. Deno must take the compiled code from the copy. Whether V8 takes it
 *    depends on its flags, which are the same for all functions with the same memory. So one of them is started again.
 *
 * @module
 */
import type { Application, ApplicationFunction } from "../../application/types.ts";
import { detectIsolation, type Isolation, makeTmp } from "../../lambda/isolation/isolation.ts";
import { type ArchiveFile, identifyFiles, writeFiles } from "../archive.ts";
import { identifyTool } from "../made_of.ts";
import { type Kept, keyOf, type Parts } from "../../programs/kept.ts";
import type { Architecture } from "../../programs/deno_packages.ts";
import { ownArchitecture } from "../../programs/deno_binary.ts";
import { writeLayer } from "../layer.ts";
import { compiledSpecifiers, copyCaches, UnknownSchemaError } from "./database.ts";
import {
  ImportError,
  refuseBroken,
  startEnvironment,
  StartError,
  startFunction,
} from "./warm_start.ts";

export interface CodeCacheOptions {
  readonly architecture: Architecture;
  /** Identifies its layer. */
  readonly id: string;
  /** The files of its layer without Deno. */
  readonly files: readonly ArchiveFile[];
  /** Finds the Deno of its layer, which takes some time. */
  readonly deno: () => Promise<string>;
  /** The caches of earlier runs. */
  readonly kept?: Kept | undefined;
  /** How functions are started; by default the best way of this machine. */
  readonly isolation?: Isolation | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Deno cannot use the new cache. */
class CacheError extends Error {}

const MODULES = ["file:///opt/mate/bootstrap.js", "file:///var/task/index.mjs"];
const CACHE_LIMIT = 10_000;
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
  { architecture, signal, ...options }: CodeCacheOptions,
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
  const tool = options.kept && identifyTool();
  let layer: Promise<void> | undefined;
  // The folder has a random name and mode 0700, so other users can neither guess it nor put files into it.
  const folder = await Deno.makeTempDir({ prefix: "mate-warm-" });
  try {
    const warningsOf = new Map<string, string>();
    /** The second starts, by the memory of the function. */
    const checks = new Map<number, Promise<void>>();
    const add = async (name: string, files: ArchiveFile[]) => {
      const settings = application.functions[name]!;
      const start = {
        environment: startEnvironment(settings),
        isolation,
        signal,
      };
      // If the machine has another architecture, its own Deno finds out whether the module throws.
      const make = async () => {
        await (layer ??= writeLayer(`${folder}/layer`, options.files));
        if (isOwn) {
          const deno = await options.deno();
          return await makeCache(folder, deno, name, files, architecture, start, async (check) => {
            const former = checks.get(settings.memory);
            if (former && await former.then(() => true, () => false)) return;
            const checking = check();
            checks.set(settings.memory, checking);
            await checking;
          });
        }
        await startOnce(folder, name, files, start);
        return [];
      };
      const id = identifyFiles(files);
      const key = keyOf(tool, options.id, id, start.environment, isolation.kind, architecture);
      try {
        const parts = tool === undefined
          ? partsOf(await make())
          : await options.kept!.once("code", key, async () => partsOf(await make()));
        files.push(...[...parts].map(([path, data]) => ({ path, data })));
      } catch (error) {
        warningsOf.set(name, warningOf(name, settings, architecture, error as Error));
      }
    };
    const waiting = functions.entries();
    const work = async () => {
      for (const [name, files] of waiting) await add(name, files);
    };
    // A start waits most of its time, so there may be more of them than processors.
    const workers = Array.from({ length: 4 * navigator.hardwareConcurrency }, work);
    const results = await Promise.allSettled(workers);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    for (const name of functions.keys()) {
      const warning = warningsOf.get(name);
      if (warning !== undefined) warnings.push(warning);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return warnings;
}

function partsOf(files: readonly ArchiveFile[]): Parts {
  return new Map(files.map(({ path, data }) => [path, data]));
}

type Start = Omit<Parameters<typeof startFunction>[0], "folders">;

/** Starts a function with the Deno that runs this program. */
async function startOnce(
  work: string,
  name: string,
  files: readonly ArchiveFile[],
  start: Start,
): Promise<void> {
  const folder = `${work}/function-${name}`;
  await writeFiles(`${folder}/task`, files);
  const tmp = await makeTmp(work);
  const folders = { task: `${folder}/task`, layer: `${work}/layer`, deno: Deno.execPath(), tmp };
  await startFunction({ ...start, folders });
}

/** Makes the cache of one function. */
async function makeCache(
  work: string,
  deno: string,
  name: string,
  files: readonly ArchiveFile[],
  architecture: Architecture,
  start: Start,
  checkOnce: (check: () => Promise<void>) => Promise<void>,
): Promise<ArchiveFile[]> {
  const folder = `${work}/function-${name}`;
  await writeFiles(`${folder}/task`, files);
  const folders = {
    task: `${folder}/task`,
    layer: `${work}/layer`,
    deno,
    tmp: await makeTmp(work),
  };
  await Deno.mkdir(`${folder}/copy`);
  const denoDir = `${folders.tmp}/deno`;
  const keeping = { ...start.environment, DENO_DIR: "/tmp/deno" }; // With this variable, Deno keeps its code.
  await startFunction({ ...start, folders, environment: keeping }, () => waitForCode(denoDir));
  const cache = [...copyCaches(denoDir, `${folder}/copy`)].map(([name, data]) => ({
    path: `mate/cache-${architecture}/${name}`,
    data,
  }));
  await writeFiles(folders.task, cache);
  await checkOnce(async () => {
    const environment = { ...start.environment, DENO_LOG: "debug" };
    const readOnly = { ...folders, tmp: await makeTmp(work) }; // without the files of the first start
    const log = await startFunction({ ...start, folders: readOnly, environment });
    if (log.includes("Updating V8 code cache")) {
      throw new CacheError("V8 does not take the compiled code");
    }
    const isFound = MODULES.every((url) => log.includes(`V8 code cache hit for ES module: ${url}`));
    if (!isFound) throw new CacheError("Deno does not find the compiled code");
  });
  return cache;
}

/** Waits until Deno has kept the code of the modules, and has added nothing for 200 ms. */
async function waitForCode(denoDir: string): Promise<void> {
  let before = -1;
  let unchanged = 0;
  for (const end = Date.now() + CACHE_LIMIT; Date.now() < end;) {
    const kept = compiledSpecifiers(denoDir);
    unchanged = kept.length === before ? unchanged + 1 : 0;
    before = kept.length;
    if (unchanged >= 4 && MODULES.every((url) => kept.includes(url))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new CacheError("Deno keeps no compiled code");
}

function warningOf(
  name: string,
  settings: ApplicationFunction,
  architecture: Architecture,
  error: Error,
): string {
  refuseBroken(name, settings, error);
  if (error instanceof StartError || error instanceof ImportError) {
    return `No code cache for the function "${name}", which may not start on Lambda either: ${error.message}`;
  }
  const isNoCache = error instanceof CacheError || error instanceof UnknownSchemaError;
  if (!isNoCache) throw error;
  return `No code cache for the function "${name}" on ${architecture}: ${error.message}. ${SLOWER}`;
}
