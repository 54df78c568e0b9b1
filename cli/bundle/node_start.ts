/**
 * Starts each function for Node.js once, in a sandbox and without credentials, up to its first request for an invocation. So a
 * module that throws when it is imported, and a handler that Node.js does not find, are known before the deployment.
 *
 * @module
 */
import type { Application, ApplicationFunction } from "../application/types.ts";
import { detectIsolation, type Isolation, makeTmp } from "../lambda/isolation/isolation.ts";
import { nodeCommand, nodeEnvironment, nodeRuntimeFiles } from "../lambda/node/node_command.ts";
import type { Architecture } from "../programs/deno_packages.ts";
import { ownArchitecture } from "../programs/deno_binary.ts";
import { findNode, type NodeRuntime, type NodeSource } from "../programs/find_node.ts";
import { type Kept, keyOf } from "../programs/kept.ts";
import { type ArchiveFile, identifyFiles, writeFiles } from "./archive.ts";
import {
  HandlerError,
  ImportError,
  refuseBroken,
  startEnvironment,
  StartError,
  startFunction,
} from "./code_cache/warm_start.ts";
import { identifyTool } from "./made_of.ts";

/** How functions for Node.js are started. */
export interface NodeStartOptions {
  /** The architecture of the native packages in the functions. */
  readonly architecture: Architecture;
  /** The functions that have started in earlier runs. */
  readonly kept?: Kept | undefined;
  /** How functions are kept apart; by default the best way of this machine. */
  readonly isolation?: Isolation | undefined;
  /** Where Node.js comes from. */
  readonly source?: NodeSource | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** This machine cannot tell whether a function starts. */
class UnknownError extends Error {}

interface NodeFunction {
  readonly name: string;
  readonly files: readonly ArchiveFile[];
  readonly settings: ApplicationFunction;
  readonly runtime: NodeRuntime;
}

/**
 * Starts functions for Node.js.
 *
 * @param functions The functions' files. Those for Deno are left out.
 * @returns Warnings: the functions that may not start, and why it is not known whether others start.
 * @throws {Error} If the handler of a function is missing or invalid, if its module throws, or if the signal ends the work.
 */
export async function startOnNode(
  application: Application,
  functions: ReadonlyMap<string, readonly ArchiveFile[]>,
  { architecture, kept, source, signal, ...options }: NodeStartOptions,
): Promise<string[]> {
  const own = [...functions].flatMap(([name, files]): NodeFunction[] => {
    const settings = application.functions[name]!;
    const { runtime } = settings;
    return runtime === "deno" ? [] : [{ name, files, settings, runtime }];
  });
  if (own.length === 0) return [];
  const isolation = options.isolation ?? await detectIsolation();
  // The folder has a random name and mode 0700, so other users can neither guess it nor put files into it.
  const folder = await Deno.makeTempDir({ prefix: "mate-start-" });
  try {
    const runtimes = new Map<NodeRuntime, ReturnType<typeof makeRuntime>>();
    const start = async ({ name, files, settings, runtime }: NodeFunction) => {
      const environment = environmentOf(settings, runtime);
      const startOnce = async () => {
        checkMachine(files, isolation, architecture);
        if (!runtimes.has(runtime)) {
          runtimes.set(runtime, makeRuntime(runtime, folder, { signal, ...source }));
        }
        const node = await runtimes.get(runtime)!;
        const task = `${folder}/function-${name}`;
        await writeFiles(task, files);
        const folders = { task, node, tmp: await makeTmp(folder) };
        const { node: seen, ...place } = isolation.place(folders);
        const program = nodeCommand(settings, { ...place, ...seen!, isConfined: true });
        await startFunction({ folders, program, environment, isolation, signal });
        return new Map();
      };
      const key = keyOf(identifyTool(), identifyFiles(files), environment, isolation.kind);
      try {
        await (kept === undefined ? startOnce() : kept.once("start", key, startOnce));
      } catch (error) {
        return problemOf(name, settings, error as Error);
      }
    };
    const waiting = own.entries();
    const problems: (Error | undefined)[] = [];
    const work = async () => {
      for (const [index, one] of waiting) problems[index] = await start(one);
    };
    // A start waits most of its time, so there may be more of them than processors.
    const workers = Array.from({ length: 2 * navigator.hardwareConcurrency }, work);
    const results = await Promise.allSettled(workers);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return warningsOf(own, problems);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function checkMachine(
  files: readonly ArchiveFile[],
  { kind, description }: Isolation,
  architecture: Architecture,
): void {
  if (kind === "plain folders") throw new UnknownError(`functions run in ${description}`);
  const hasPackages = files.some(({ path }) => path.startsWith("node_modules/"));
  if (!hasPackages || architecture === ownArchitecture()) return;
  throw new UnknownError(`this machine cannot run native packages for ${architecture}`);
}

/** Makes the folder with AWS's client of the Runtime API. */
async function makeRuntime(runtime: NodeRuntime, folder: string, source: NodeSource) {
  const { program, client } = await findNode(runtime, source).catch((error) => {
    throw new UnknownError(error.message, { cause: error });
  });
  const path = `${folder}/${runtime}`;
  await writeFiles(path, await nodeRuntimeFiles(runtime, client));
  return { program, runtime: path };
}

function environmentOf(settings: ApplicationFunction, runtime: NodeRuntime) {
  const { LD_LIBRARY_PATH: _, ...ofNode } = nodeEnvironment(runtime, "/var/task");
  return { ...startEnvironment(settings), ...ofNode };
}

/** Returns why a function may not start, or why that is not known. Throws if the function is broken. */
function problemOf(name: string, settings: ApplicationFunction, error: Error): Error {
  const isMissing = error instanceof HandlerError && error.message.includes("HandlerNotFound");
  const missing =
    `the module "${settings.code.module}" exports no function "${settings.code.export}": ` +
    'export it, or name another one in "handler"';
  refuseBroken(name, settings, isMissing ? new HandlerError(missing) : error);
  const kinds = [StartError, ImportError, UnknownError];
  if (!kinds.some((kind) => error instanceof kind)) throw error;
  return error;
}

/** Makes one warning for each function that may not start, and one for all of which nothing is known for the same reason. */
function warningsOf(
  functions: readonly NodeFunction[],
  problems: readonly (Error | undefined)[],
): string[] {
  const unknown = new Map<string, string[]>();
  const warnings = functions.flatMap(({ name }, index) => {
    const problem = problems[index];
    if (problem === undefined) return [];
    const { message } = problem;
    if (!(problem instanceof UnknownError)) {
      return [`The function "${name}" may not start on Lambda: ${message}`];
    }
    unknown.set(message, [...unknown.get(message) ?? [], name]);
    return [];
  });
  for (const [reason, names] of unknown) {
    const list = names.map((name) => `"${name}"`).join(", ");
    const start = names.length === 1
      ? `the function ${list} starts`
      : `the functions ${list} start`;
    warnings.push(`It is not known whether ${start}: ${reason}`);
  }
  return warnings;
}
