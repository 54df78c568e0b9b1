import type { ApplicationFunction } from "../application/types.ts";
import { type ArchiveFile, identifyFiles, writeFiles } from "../archives/archive.ts";
import { type Isolation, makeTmp } from "../lambda/isolation/isolation.ts";
import { fillPlaceholders } from "../manifest/variables.ts";
import { identifyTool } from "../programs/identify_tool.ts";
import { type Kept, keyOf, type Parts } from "../programs/kept.ts";
import {
  HandlerError,
  ImportError,
  MachineError,
  StartError,
  type WarmStart,
} from "./warm_start.ts";

/** A function to start. */
export interface Startable {
  readonly name: string;
  readonly files: readonly ArchiveFile[];
  readonly settings: ApplicationFunction;
  readonly environment: Readonly<Record<string, string>>;
}

/** How functions are started. */
export interface StartOptions extends Pick<WarmStart, "workLimit" | "signal" | "onStart"> {
  /** Earlier runs. A function that has started then is not started again. */
  readonly kept?: Kept | undefined;
  /** How functions are kept apart; by default the best way of this machine. */
  readonly isolation?: Isolation | undefined;
}

/**
 * Starts functions side by side in a temporary folder.
 *
 * @param kept The results of earlier starts. A function with a result is not started again.
 * @param key The kind of a result, and everything that it depends on beside the function and its environment.
 * @param start Starts a function, and returns its result: the files of a code cache, or none.
 * @param onFound Takes a function with its result, as soon as the function has started.
 * @returns The results, or why the function or the machine failed, in the order of the functions.
 * @throws {Error} If the handler of a function is missing or invalid, if its module throws, or if another error ends the work.
 */
export async function startAll<T extends Startable>(
  functions: readonly T[],
  kept: Kept | undefined,
  key: readonly [kind: string, ...parts: string[]],
  start: (one: T, folder: string) => Promise<Parts>,
  onFound: (one: T, parts: Parts) => void = () => {},
): Promise<(Parts | Error)[]> {
  // The folder has a random name and mode 0700, so other users can neither guess it nor put files into it.
  const folder = await Deno.makeTempDir({ prefix: "mate-start-" });
  try {
    const [kind, ...others] = key;
    const found: (Parts | Error)[] = [];
    const waiting = functions.entries();
    const work = async () => {
      for (const [index, one] of waiting) {
        const { name, files, settings, environment } = one;
        const make = () => start(one, folder);
        try {
          const whole = () => keyOf(identifyTool(), ...others, identifyFiles(files), environment);
          const parts = await (kept === undefined ? make() : kept.once(kind, whole(), make));
          found[index] = parts;
          onFound(one, parts);
        } catch (error) {
          refuseBroken(name, settings, error as Error);
          const kinds = [StartError, ImportError, MachineError];
          if (!kinds.some((kind) => error instanceof kind)) throw error;
          found[index] = error as Error;
        }
      }
    };
    // A start waits most of its time, so there may be more of them than processors. Each may take 150 MB of memory.
    const workers = Array.from({ length: Math.max(8, navigator.hardwareConcurrency) }, work);
    const results = await Promise.allSettled(workers);
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return found;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes the files of a function into the folder of {@linkcode startAll}. */
export async function writeFunction(folder: string, { name, files }: Startable) {
  const task = `${folder}/function-${name}`;
  await writeFiles(task, files);
  return { task, tmp: await makeTmp(folder) };
}

/**
 * Refuses a function that did not start for a reason of its own, which it has in the account, too.
 *
 * @throws {Error} If the handler is missing or invalid, or if the module throws, unless rights or values may be missing that
 * exist in the cloud only.
 */
function refuseBroken(name: string, settings: ApplicationFunction, error: Error): void {
  const isImport = error instanceof ImportError;
  if (!(error instanceof HandlerError || isImport && !dependsOnCloud(settings))) return;
  const reason = isImport
    ? `the module "${settings.code.module}" throws when it is imported: ${error.message}\n` +
      'If it needs an environment variable, add the variable to "environment" or "secrets" in the manifest'
    : error.message;
  throw new Error(`Cannot bundle the function "${name}": ${reason}`, { cause: error });
}

function dependsOnCloud(
  { code: { variables, statements, environment, secrets } }: ApplicationFunction,
): boolean {
  return Object.keys(secrets).length > 0 || variables.length > 0 || statements.length > 0 ||
    Object.values(environment).some((value) => fillPlaceholders(value, () => "") !== value);
}
