/**
 * Starts each function for Node.js once, in a sandbox, without credentials and without a network, up to its first request for an invocation. So a
 * module that throws when it is imported, and a handler that Node.js does not find, are known before the deployment.
 *
 * @module
 */
import type { Application, ApplicationFunction } from "../application/types.ts";
import { detectIsolation, type Isolation } from "../lambda/isolation/isolation.ts";
import { nodeCommand, nodeEnvironment, nodeRuntimeFiles } from "../lambda/node/node_command.ts";
import {
  type Architecture,
  type NodeRuntime,
  ownArchitecture,
} from "../programs/pinned_packages.ts";
import { findNode, type NodeSource } from "../programs/find_node.ts";
import { type ArchiveFile, writeFiles } from "../archives/archive.ts";
import { startAll, type StartOptions, writeFunction } from "./start_all.ts";
import { HandlerError, MachineError, startEnvironment, startFunction } from "./warm_start.ts";

/** How functions for Node.js are started. */
export interface NodeStartOptions extends StartOptions {
  /** The architecture of the native packages in the functions. */
  readonly architecture: Architecture;
  /** Where Node.js comes from. */
  readonly source?: NodeSource | undefined;
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
  { architecture, kept, source, signal, onStart, ...options }: NodeStartOptions,
): Promise<string[]> {
  const own = [...functions].flatMap(([name, files]) => {
    const settings = application.functions[name]!;
    const { runtime } = settings;
    if (runtime === "deno") return [];
    const { LD_LIBRARY_PATH: _, ...ofNode } = nodeEnvironment(runtime, "/var/task");
    const environment = { ...startEnvironment(settings), ...ofNode };
    return [{ name, files, settings, runtime, environment }];
  });
  if (own.length === 0) return [];
  const isolation = options.isolation ?? await detectIsolation();
  const runtimes = new Map<NodeRuntime, ReturnType<typeof makeRuntime>>();
  const found = await startAll(own, kept, ["start", isolation.kind], async (one, folder) => {
    const { files, settings, runtime, environment } = one;
    checkMachine(files, isolation, architecture);
    if (!runtimes.has(runtime)) {
      runtimes.set(runtime, makeRuntime(runtime, folder, { signal, ...source }));
    }
    const folders = { node: await runtimes.get(runtime)!, ...await writeFunction(folder, one) };
    const { node, ...place } = isolation.place(folders);
    const program = nodeCommand(settings, { ...place, ...node!, isConfined: true });
    const hasNetwork = false; // A package could reach the metadata of the machine that bundles.
    const { workLimit } = options;
    const start = { folders, program, environment, isolation, hasNetwork, signal, onStart };
    await startFunction({ ...start, workLimit })
      .catch((error) => Promise.reject(explain(error, settings)));
    return new Map();
  });
  return warningsOf(own.map(({ name }) => name), found);
}

function checkMachine(
  files: readonly ArchiveFile[],
  { kind, description }: Isolation,
  architecture: Architecture,
): void {
  if (kind === "plain folders") throw new MachineError(`functions run in ${description}`);
  const hasPackages = files.some(({ path }) => path.startsWith("node_modules/"));
  if (!hasPackages || architecture === ownArchitecture()) return;
  throw new MachineError(`this machine cannot run native packages for ${architecture}`);
}

/** Makes the folder with AWS's client of the Runtime API. */
async function makeRuntime(runtime: NodeRuntime, folder: string, source: NodeSource) {
  const { program, client } = await findNode(runtime, source).catch((error) => {
    throw new MachineError(error.message, { cause: error });
  });
  const path = `${folder}/${runtime}`;
  await writeFiles(path, await nodeRuntimeFiles(runtime, client));
  return { program, runtime: path };
}

/** Says what to do about a handler that Node.js does not find. */
function explain(error: Error, { code }: ApplicationFunction): Error {
  if (!(error instanceof HandlerError && error.message.includes("HandlerNotFound"))) return error;
  return new HandlerError(
    `the module "${code.module}" exports no function "${code.export}": ` +
      'export it, or name another one in "handler"',
  );
}

/** Makes one warning for each function that may not start, and one for all of which nothing is known for the same reason. */
function warningsOf(names: readonly string[], found: readonly unknown[]): string[] {
  const warnings: string[] = [];
  const unknown = new Map<string, string[]>();
  for (const [index, name] of names.entries()) {
    const problem = found[index];
    if (problem instanceof MachineError) {
      unknown.set(problem.message, [...unknown.get(problem.message) ?? [], `"${name}"`]);
    } else if (problem instanceof Error) {
      warnings.push(`The function "${name}" may not start on Lambda: ${problem.message}`);
    }
  }
  for (const [reason, names] of unknown) {
    const [noun, verb] = names.length === 1 ? ["function", "starts"] : ["functions", "start"];
    warnings.push(
      `It is not known whether the ${noun} ${names.join(", ")} ${verb}: ${reason}`,
    );
  }
  return warnings;
}
