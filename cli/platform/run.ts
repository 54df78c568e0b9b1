import { basename, dirname, join, resolve, sep } from "node:path";
import type { LogRecord, ReloadingHost } from "./function_host.ts";
import { createInProcessHost } from "./in_process_host.ts";
import { Log } from "./log.ts";
import { type Manifest, readManifest } from "../manifest/manifest.ts";
import { type Platform, startPlatform } from "./platform.ts";
import { createSandboxHost } from "./sandbox/host.ts";
import { formatRecord, introduce } from "./terminal.ts";
import { watch } from "./watch.ts";

/** The application that {@linkcode run} runs, and how. */
export interface RunOptions {
  /** The path of the manifest. */
  readonly manifestPath: string;
  readonly port: number;
  /** The folder for the objects of the buckets; `undefined` for the default. */
  readonly data: string | undefined;
  /** Whether the functions run in this process. */
  readonly isInProcess: boolean;
}

/** The surroundings of {@linkcode run}. */
export interface CliEnvironment {
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  readonly isColored: boolean;
}

/**
 * Runs an application until the signal: prints every URL, then the log. If a file of a function changes, the functions are
 * reloaded. If the manifest changes, the application starts anew.
 *
 * @throws {Error} If the application cannot be started; the message says what to do.
 */
export async function run(options: RunOptions, environment: CliEnvironment): Promise<void> {
  const { manifestPath, data } = options;
  const { signal, print, isColored } = environment;
  const log = new Log();
  let manifest = await readManifest(manifestPath);
  await using hosts = new ApplicationHost(options, log, signal);
  const watchedFolder = resolve(dirname(manifestPath));
  let { port } = options;
  for (let shown = 0; !signal.aborted;) {
    const starting = startPlatform(manifest, {
      host: (local) => hosts.take(local),
      inProcess: options.isInProcess,
      port,
      data: data ?? join(".mate", manifest.name),
      log,
    });
    await using platform = await starting.catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (platform === undefined) return; // interrupted
    const { bucketsFolder, url, servicesUrl } = platform;
    port = platform.port; // A changed manifest keeps the URL.
    let stopShowing = () => {};
    const show = () => {
      for (const line of introduce({ manifest, url, servicesUrl, bucketsFolder, watchedFolder })) {
        print(line);
      }
      // The log comes after the URLs, with the records that it has already.
      for (const record of log.after(shown)) print(formatRecord(record, isColored));
      stopShowing = log.follow((record) => print(formatRecord(record, isColored)));
    };
    manifest = await watchUntilRestart(options, platform, hosts, log, signal, show) ?? manifest;
    stopShowing();
    shown = log.after(0).at(-1)?.number ?? 0;
  }
}

/** The host of an application, which goes on when the platform starts anew with another manifest. */
class ApplicationHost implements AsyncDisposable {
  readonly #options: RunOptions;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  #host: ReloadingHost | undefined;

  constructor(options: RunOptions, log: Log, signal: AbortSignal) {
    this.#options = options;
    this.#log = log;
    this.#signal = signal;
  }

  /** Makes the host, or gives it another manifest. */
  async take(manifest: Manifest): Promise<ReloadingHost> {
    const { isInProcess, manifestPath } = this.#options;
    const log = (record: LogRecord) => this.#log.write(record);
    const signal = this.#signal;
    if (this.#host !== undefined) await this.#host.reload(manifest);
    return this.#host ??= await (isInProcess ? createInProcessHost : createSandboxHost)(
      { manifest, manifestPath, log, signal },
    );
  }

  /** Loads the functions anew. Returns the names of those that have changed. */
  async reload(): Promise<readonly string[]> {
    return await this.#host!.reload();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host?.[Symbol.asyncDispose]();
  }
}

/** Reloads the functions after changes. Returns the manifest if it changes, or nothing at the end. */
async function watchUntilRestart(
  { manifestPath }: RunOptions,
  platform: Platform,
  hosts: ApplicationHost,
  log: Log,
  signal: AbortSignal,
  onWatching: () => void,
): Promise<Manifest | undefined> {
  const { promise: end, resolve: stop } = Promise.withResolvers<Manifest | undefined>();
  const folder = resolve(dirname(manifestPath));
  const onChange = async (paths: ReadonlySet<string>) => {
    const isManifest = paths.has(join(folder, basename(manifestPath)));
    const manifest = await reload(isManifest ? manifestPath : undefined, hosts, log);
    if (manifest !== undefined) stop(manifest);
  };
  await using _watch = watch(folder, {
    onChange,
    onError: ({ message }) => log.note(message),
    isOfInterest: isSource(folder, resolve(platform.bucketsFolder)),
  });
  // The platform ends before the watch, because the end of a watch also ends those of folders in it, such as buckets.
  await using _platform = platform;
  onWatching(); // Whoever reads this may change files at once.
  const onAbort = () => stop(undefined);
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    return await end;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Reads the manifest if it has changed, or else reloads the functions. The log says what happened. */
async function reload(
  manifestPath: string | undefined,
  hosts: ApplicationHost,
  log: Log,
): Promise<Manifest | undefined> {
  try {
    if (manifestPath === undefined) {
      const changed = await hosts.reload();
      if (changed.length > 0) log.note(`Reloaded ${changed.join(", ")}`);
      return undefined;
    }
    const manifest = await readManifest(manifestPath);
    log.note(`Reloaded "${manifestPath}"`);
    return manifest;
  } catch (error) {
    log.note(`ERROR ${(error as Error).message}`);
  }
}

/** Whether a function may be made of the file of a path. */
function isSource(folder: string, data: string): (path: string) => boolean {
  return (path) =>
    path !== data && !path.startsWith(data + sep) &&
    path.slice(folder.length).split(sep).every((part) =>
      part !== "node_modules" && !part.startsWith(".") && !/~$|\.log$/.test(part)
    );
}
