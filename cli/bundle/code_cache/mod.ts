/**
 * The code cache: the compiled code of a function's modules. It halves the cold start of a large function. Deno keeps it in
 * private databases.
 *
 * 1. The function runs in a mount namespace with Lambda's paths until it asks for an invocation. Meanwhile, Deno writes its
 *    cache to `DENO_DIR`. The bootstrap forbids the function to write there.
 * 2. The rows of Deno's databases are copied to new databases. No other file of the process is read.
 * 3. The function is started again from read-only files. Deno must take the compiled code from the copy.
 *
 * @module
 */
import { functionName } from "../../application/arn.ts";
import type { FunctionManifest, Manifest } from "../../manifest/manifest.ts";
import { fillPlaceholders, placeholdersIn, variablesOf } from "../../manifest/variables.ts";
import { lambdaEnvironment } from "../../lambda/isolation/environment.ts";
import { detectIsolation, type Isolation, makeTmp } from "../../lambda/isolation/isolation.ts";
import { type ArchiveFile, writeFiles } from "../archive.ts";
import { type Architecture, ownArchitecture } from "../deno_binary.ts";
import { compiledSpecifiers, copyCaches, UnknownSchemaError } from "./database.ts";
import { HandlerError, ImportError, StartError, startFunction } from "./warm_start.ts";

export interface CodeCacheOptions {
  readonly architecture: Architecture;
  /** The files of its layer. */
  readonly layer: readonly ArchiveFile[];
  /** How functions are started; by default the best way of this machine. */
  readonly isolation?: Isolation | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Deno cannot use the new cache. */
class CacheError extends Error {}

const MODULES = ["file:///opt/mate/bootstrap.js", "file:///var/task/index.js"];
const CACHE_LIMIT = 3_000;
const SLOWER = "The bundles are correct but start more slowly";

/**
 * Adds the code cache for an architecture to every function.
 *
 * @param functions The functions' files; the caches are added to them.
 * @returns Warnings: the functions that have no cache, and why.
 * @throws {Error} If the handler of a function is missing or invalid, if its module throws, or if the signal ends the work.
 */
export async function addCodeCaches(
  manifest: Manifest,
  functions: ReadonlyMap<string, ArchiveFile[]>,
  { architecture, layer, signal, ...options }: CodeCacheOptions,
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
  // The folder has a random name and mode 0700, so other users can neither guess it nor put files into it.
  const folder = await Deno.makeTempDir({ prefix: "mate-warm-" });
  try {
    await writeFiles(`${folder}/layer`, layer);
    for (const [name, files] of functions) {
      const settings = manifest.functions[name]!;
      const start = {
        environment: environmentOf(functionName(manifest, name), settings),
        isolation,
        signal,
      };
      try {
        // If the machine has another architecture, its own Deno finds out whether the module throws.
        if (isOwn) files.push(...await makeCache(folder, name, files, architecture, start));
        else await startOnce(folder, name, files, start);
      } catch (error) {
        warnings.push(warningOf(name, settings, architecture, error as Error));
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return warnings;
}

/** Returns the environment of a function. The names of deployed resources are not known yet. */
function environmentOf(name: string, settings: FunctionManifest): Record<string, string> {
  const names = [
    ...variablesOf(settings.uses),
    ...settings.permissions.net.flatMap(placeholdersIn),
  ];
  const variables = Object.fromEntries(names.map((key) => [key, "unknown"]));
  const own = lambdaEnvironment(name, settings, { task: "/var/task", logStream: "warm-up" });
  return Object.fromEntries(
    Object.entries<string>({ ...variables, ...own })
      // Only a process that may run every program may set these variables.
      .filter(([key]) => !/^(LD|DYLD)_/.test(key))
      .map(([key, value]) => [key, fillPlaceholders(value, () => "unknown")]),
  );
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
  const tmp = await makeTmp(folder);
  const folders = { task: `${folder}/task`, layer: `${work}/layer`, deno: Deno.execPath(), tmp };
  await startFunction({ ...start, folders });
}

/** Makes the cache of one function. */
async function makeCache(
  work: string,
  name: string,
  files: readonly ArchiveFile[],
  architecture: Architecture,
  start: Start,
): Promise<ArchiveFile[]> {
  const folder = `${work}/function-${name}`;
  await writeFiles(`${folder}/task`, files);
  const folders = { task: `${folder}/task`, layer: `${work}/layer`, tmp: await makeTmp(folder) };
  await Deno.mkdir(`${folder}/copy`);
  const denoDir = `${folders.tmp}/deno`;
  const keeping = { ...start.environment, DENO_DIR: "/tmp/deno" }; // With this variable, Deno keeps its code.
  await startFunction({ ...start, folders, environment: keeping }, () => waitForCode(denoDir));
  const cache = [...copyCaches(denoDir, `${folder}/copy`)].map(([name, data]) => ({
    path: `mate/cache-${architecture}/${name}`,
    data,
  }));
  await writeFiles(folders.task, cache);
  const environment = { ...start.environment, DENO_LOG: "debug" };
  const readOnly = { ...folders, tmp: await makeTmp(folder) }; // without the files of the first start
  const log = await startFunction({ ...start, folders: readOnly, environment });
  if (log.includes("Updating V8 code cache")) {
    throw new CacheError("V8 does not take the compiled code");
  }
  const isFound = MODULES.every((url) => log.includes(`V8 code cache hit for ES module: ${url}`));
  if (!isFound) throw new CacheError("Deno does not find the compiled code");
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

/** Whether a function may throw only because it is not deployed: it has rights or values that exist in the cloud only. */
function dependsOnCloud({ uses, statements, environment }: FunctionManifest): boolean {
  return variablesOf(uses).length > 0 || statements.length > 0 ||
    Object.values(environment).some((value) => fillPlaceholders(value, () => "") !== value);
}

function warningOf(
  name: string,
  settings: FunctionManifest,
  architecture: Architecture,
  error: Error,
): string {
  const isImport = error instanceof ImportError;
  if (error instanceof HandlerError || isImport && !dependsOnCloud(settings)) {
    const reason = isImport
      ? `the module "${settings.module}" throws when it is imported: ${error.message}\n` +
        'If it needs an environment variable, add the variable to "environment" in the manifest'
      : error.message;
    throw new Error(`Cannot bundle the function "${name}": ${reason}`, { cause: error });
  }
  if (error instanceof StartError || isImport) {
    return `No code cache for the function "${name}", which may not start on Lambda either: ${error.message}`;
  }
  const isNoCache = error instanceof CacheError || error instanceof UnknownSchemaError;
  if (!isNoCache) throw error;
  return `No code cache for the function "${name}" on ${architecture}: ${error.message}. ${SLOWER}`;
}
