import { basename, dirname, join, resolve, sep } from "node:path";
import type { LogRecord, ReloadingHost } from "./function_host.ts";
import { Log } from "./log.ts";
import { type Manifest, readManifest } from "../manifest/manifest.ts";
import { createHost, type Platform, startPlatform } from "./platform.ts";
import { formatRecord, introduce } from "./terminal.ts";
import { watch } from "./watch.ts";

/** The application that {@linkcode run} runs, and how. */
export interface RunOptions {
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
 */
export async function run(options: RunOptions, environment: CliEnvironment): Promise<void> {
  const { manifestPath, data } = options;
  const { signal, print, isColored } = environment;
  const log = new Log();
  const watchedFolder = resolve(dirname(manifestPath));
  await using stack = new AsyncDisposableStack();
  let host: ReloadingHost | undefined; // goes on when the platform starts anew with another manifest
  const takeHost = async (local: Manifest) => {
    if (host !== undefined) await host.reload(local);
    const write = (record: LogRecord) => log.write(record);
    return host ??= stack.use(
      await createHost(options.isInProcess, { manifest: local, manifestPath, log: write, signal }),
    );
  };
  let manifest = await readManifest(manifestPath);
  let { port } = options;
  for (let shown = 0; !signal.aborted;) {
    const starting = startPlatform(manifest, {
      host: takeHost,
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
    const next = await watchUntilRestart(
      manifestPath,
      platform,
      () => host!.reload(),
      log,
      signal,
      show,
    );
    manifest = next ?? manifest;
    stopShowing();
    shown = log.after(0).at(-1)?.number ?? 0;
  }
}

/** Reloads the functions after changes. Returns the manifest if it changes, or nothing at the end. */
async function watchUntilRestart(
  manifestPath: string,
  platform: Platform,
  reload: () => Promise<readonly string[]>,
  log: Log,
  signal: AbortSignal,
  onWatching: () => void,
): Promise<Manifest | undefined> {
  const { promise: end, resolve: stop } = Promise.withResolvers<Manifest | undefined>();
  const folder = resolve(dirname(manifestPath));
  const onChange = async (paths: ReadonlySet<string>) => {
    try {
      if (paths.has(join(folder, basename(manifestPath)))) {
        const manifest = await readManifest(manifestPath);
        log.note(`Reloaded "${manifestPath}"`);
        return stop(manifest);
      }
      const changed = await reload();
      if (changed.length > 0) log.note(`Reloaded ${changed.join(", ")}`);
    } catch (error) {
      log.note(`ERROR ${(error as Error).message}`);
    }
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

/** Whether a function may be made of the file of a path. */
function isSource(folder: string, data: string): (path: string) => boolean {
  return (path) =>
    path !== data && !path.startsWith(data + sep) &&
    path.slice(folder.length).split(sep).every((part) =>
      part !== "node_modules" && !part.startsWith(".") && !/~$|\.log$/.test(part)
    );
}
