import { basename, dirname, join, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { createInProcessHost, type ReloadingHost } from "./in_process_host.ts";
import { Log } from "./log.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { type Platform, startPlatform } from "./platform.ts";
import { formatRecord, introduce } from "./terminal.ts";
import { watch } from "./watch.ts";

/** What `--help` prints. */
export const HELP = `Runs an application on this machine, as it would run in the cloud.

Usage: deno run -A local/main.ts [OPTIONS] MANIFEST

Arguments:
  MANIFEST         The manifest of the application, such as examples/app.json

Options:
  --port NUMBER    The port to listen on; 0 for any that is free (8000)
  --data FOLDER    The folder for the objects of the buckets (.mate/NAME)
  --in-process     Run the functions in this process, for a debugger's breakpoints
                   (deno run -A --inspect-brk local/main.ts --in-process MANIFEST)
  --help           Print this
`;

/** What the command line asks for. */
export interface CliOptions {
  /** The path of the manifest. */
  readonly manifestPath: string;
  /** The port. */
  readonly port: number;
  /** The folder for the objects of the buckets; `undefined` for the default. */
  readonly data: string | undefined;
  /** Whether the functions run in this process. */
  readonly isInProcess: boolean;
}

/** The command line asks for something that there is not. */
export class UsageError extends Error {
  static {
    this.prototype.name = "UsageError";
  }
}

/**
 * Reads the command line.
 *
 * @param args The arguments.
 * @returns What they ask for, or `"help"`.
 * @throws {UsageError} If they cannot be understood; the message names the one that is wrong.
 */
export function readArguments(args: readonly string[]): CliOptions | "help" {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        port: { type: "string", default: "8000" },
        data: { type: "string" },
        "in-process": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nTry --help`);
  }
  const { values: { port, data, help, "in-process": isInProcess }, positionals } = parsed;
  if (help) return "help";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`Cannot use the port "${port}": expected a number from 0 to 65535`);
  }
  const [manifestPath, second] = positionals;
  if (manifestPath === undefined) {
    throw new UsageError("The manifest is missing: name it, such as examples/app.json\nTry --help");
  }
  if (second !== undefined) {
    throw new UsageError(`Cannot take "${second}": one manifest is enough\nTry --help`);
  }
  return { manifestPath, port: Number(port), data, isInProcess };
}

/** What {@linkcode run} needs of its surroundings. */
export interface CliEnvironment {
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** Writes a line. */
  readonly print: (line: string) => void;
  /** Whether lines have colours. */
  readonly isColored: boolean;
}

/**
 * Runs an application until it is told to stop: prints where everything is, then the log. When a file of a function changes
 * the functions are reloaded; when the manifest changes the application starts anew.
 *
 * @param options What the command line asks for.
 * @param environment Its surroundings.
 * @throws {Error} If the application cannot be started; the message says what to do.
 */
export async function run(options: CliOptions, environment: CliEnvironment): Promise<void> {
  const log = new Log();
  log.follow((record) => environment.print(formatRecord(record, environment.isColored)));
  let manifest: Manifest | undefined = await readManifest(options.manifestPath);
  let { port } = options;
  while (manifest !== undefined) {
    const { next, lastPort } = await serve({ ...options, port }, manifest, log, environment);
    manifest = next;
    port = lastPort;
  }
}

/** Runs an application until its manifest changes; `next` is the new one, or `undefined` at the end. */
async function serve(
  { manifestPath, port, data, isInProcess }: CliOptions,
  manifest: Manifest,
  log: Log,
  { signal, print }: CliEnvironment,
): Promise<{ next: Manifest | undefined; lastPort: number }> {
  const create = createInProcessHost;
  await using host = await create({ manifest, manifestPath, log: (record) => log.write(record) });
  await using platform: Platform = await startPlatform({ manifest, host, port, data, log });
  const { promise: end, resolve: stop } = Promise.withResolvers<Manifest | undefined>();
  const watchedFolder = resolve(dirname(manifestPath));
  using _watch = watch(
    watchedFolder,
    async (paths) => {
      const isManifest = paths.has(join(watchedFolder, basename(manifestPath)));
      const next = await reload(isManifest ? manifestPath : undefined, host, log);
      if (next !== undefined) stop(next);
    },
    isSource(watchedFolder, resolve(platform.bucketsFolder)),
  );
  signal.addEventListener("abort", () => stop(undefined), { once: true });
  if (signal.aborted) stop(undefined);
  const introduction = { manifest, url: platform.url, bucketsFolder: platform.bucketsFolder };
  for (const line of introduce({ ...introduction, watchedFolder })) print(line);
  return { next: await end, lastPort: platform.port };
}

/** Takes over what changed; what is wrong with it goes to the log, and what ran goes on. */
async function reload(
  manifestPath: string | undefined,
  host: ReloadingHost,
  log: Log,
): Promise<Manifest | undefined> {
  try {
    if (manifestPath !== undefined) {
      const manifest = await readManifest(manifestPath);
      log.note(`${manifestPath} changed: starting anew`);
      return manifest;
    }
    await host.reload();
    log.note("Reloaded the functions");
  } catch (error) {
    log.note(`ERROR ${(error as Error).message}`);
  }
}

async function readManifest(path: string): Promise<Manifest> {
  let text;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    throw new Error(`Cannot read the manifest "${path}": ${(error as Error).message}`, {
      cause: error,
    });
  }
  return parseManifest(text, path);
}

/** Whether a path is of a file that a function may be made of. */
function isSource(folder: string, data: string): (path: string) => boolean {
  return (path) =>
    path !== data && !path.startsWith(data + sep) &&
    path.slice(folder.length).split(sep).every((part) =>
      part !== "node_modules" && !part.startsWith(".") && !part.endsWith("~")
    );
}
