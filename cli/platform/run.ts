import { basename, dirname, join, resolve, sep } from "node:path";
import type { LogRecord, ReloadingHost } from "../lambda/function_host.ts";
import { Log } from "./log.ts";
import { readLocalManifest, VALUES_FILE } from "../manifest/local_values.ts";
import type { Manifest } from "../manifest/types.ts";
import { createHost, type Platform, startPlatform, TABLES_FILE } from "./platform.ts";
import { formatRecord, introduce } from "./terminal.ts";
import { watch } from "./watch.ts";

/** The options of {@linkcode run}. */
export interface RunOptions {
  readonly manifestPath: string;
  /** The stage; by default the stage that the manifest names. */
  readonly stage?: string | undefined;
  readonly port: number;
  /** The folder for the objects of the buckets. The default is `.mate/NAME`. */
  readonly data: string | undefined;
  /** Whether the functions run in this process. */
  readonly isInProcess: boolean;
}

/** The signal that ends {@linkcode run}, and its terminal. */
export interface CliEnvironment {
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  readonly isColored: boolean;
}

/**
 * Runs an application until the signal. Prints every URL, and then the log. If a file of a function changes, reloads the
 * functions. If the manifest or the file `.env` changes, restarts the application.
 */
export async function run(options: RunOptions, environment: CliEnvironment): Promise<void> {
  const { manifestPath, stage, data } = options;
  const { signal, print, isColored } = environment;
  const log = new Log();
  const watchedFolder = resolve(dirname(manifestPath));
  await using stack = new AsyncDisposableStack();
  let platform: Platform | undefined;
  let host: ReloadingHost | undefined; // The host survives a restart of the platform.
  let isCodeNew = false; // Whether files of functions have changed since the host loaded the functions.
  const takeHost = async (local: Manifest) => {
    await host?.reload(local, isCodeNew);
    isCodeNew = false;
    await platform?.[Symbol.asyncDispose](); // The old platform answers until the bundling, which is slow, has ended.
    const write = (record: LogRecord) => log.write(record);
    const own = { manifest: local, manifestPath, log: write, signal, isTolerant: true };
    return host ??= stack.use(await createHost(options.isInProcess, own));
  };
  const start = async (manifest: Manifest) => {
    const own = join(".mate", manifest.name);
    if (data === undefined) {
      await Deno.mkdir(own, { recursive: true });
      await Deno.writeTextFile(join(own, ".gitignore"), "*\n");
    }
    platform = await startPlatform(manifest, {
      host: takeHost,
      inProcess: options.isInProcess,
      port: platform?.port ?? options.port, // A changed manifest keeps the URLs.
      servicesPort: platform && Number(new URL(platform.servicesUrl).port),
      data: data ?? own,
      log,
    });
  };
  let shown = 0;
  let stopShowing = () => {};
  const show = (manifest: Manifest) => {
    for (const line of introduce({ manifest, ...platform! })) print(line);
    // The URLs come first, then the records that the log has already.
    for (const record of log.after(shown)) print(formatRecord(record, isColored));
    stopShowing = log.follow((record) => print(formatRecord(record, isColored)));
  };
  const restart = async (manifest: Manifest) => {
    stopShowing();
    shown = log.after(0).at(-1)?.number ?? 0;
    await start(manifest);
    show(manifest);
  };

  const { promise: end, resolve: stop, reject: fail } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stop());
  const unlessInterrupted = (error: unknown) => signal.aborted ? stop() : fail(error);
  const take = async (paths: ReadonlySet<string>) => {
    try {
      const settings = [basename(manifestPath), VALUES_FILE]
        .filter((file) => paths.has(join(watchedFolder, file)));
      isCodeNew ||= paths.size > settings.length;
      if (settings.length > 0) {
        const manifest = await readLocalManifest(manifestPath, stage);
        log.note(`Reloading "${manifestPath}"`);
        return await restart(manifest).catch(unlessInterrupted);
      }
      isCodeNew = false;
      const changed = await host!.reload();
      if (changed.length > 0) {
        log.note(`Reloaded ${changed.join(", ")}: the next invocation runs the new code`);
      }
    } catch (error) {
      log.note(`ERROR ${(error as Error).message}\nFor now, the old version still answers`);
    } finally {
      watchOthers();
    }
  };
  let taking = Promise.resolve(); // One change after the other, because there are several watches.
  const onChange = (paths: ReadonlySet<string>) => taking = taking.then(() => take(paths));
  const manifest = await readLocalManifest(manifestPath, stage);
  if (!options.isInProcess) print(`Bundling the functions of ${manifest.name}`);
  await start(manifest).catch(unlessInterrupted);
  if (platform === undefined) return await end;
  const platformEnd = { [Symbol.asyncDispose]: () => platform![Symbol.asyncDispose]() };
  await using _last = platformEnd; // A platform may start while the watch ends.
  const onError = ({ message }: Error) => log.note(message);
  await using watches = new AsyncDisposableStack();
  watches.use(watch(watchedFolder, {
    onChange,
    onError,
    isOfInterest: isSource(watchedFolder, [
      resolve(platform.bucketsFolder) + sep,
      resolve(dirname(platform.bucketsFolder), TABLES_FILE),
    ]),
  }));
  const watched = new Set<string>();
  /** Watches the folders of files that functions import from elsewhere, such as another member of the workspace. */
  const watchOthers = () => {
    for (const folder of watches.disposed ? [] : host?.foldersElsewhere ?? []) {
      if (watched.has(folder)) continue;
      watched.add(folder);
      const isOfInterest = isSource(folder, []);
      try {
        watches.use(watch(folder, { onChange, onError, isOfInterest, isRecursive: false }));
      } catch (error) {
        onError(error as Error);
      }
    }
  };
  watchOthers();
  // The platform ends before the watch, because the end of a watch ends the watches of folders in it, such as buckets.
  await using _first = platformEnd;
  // Show the URLs after the start of the watch, because the developer may change files at once.
  show(manifest);
  if (!signal.aborted) await end;
}

/**
 * Makes a function that tells whether a path may be a source of a function.
 *
 * @param data The starts of the paths of data: the objects, and the file of the tables with those that SQLite adds.
 */
export function isSource(folder: string, data: readonly string[]): (path: string) => boolean {
  return (path) =>
    !data.some((start) => path.startsWith(start) || path + sep === start) &&
    path.slice(folder.length).split(sep).every((part) =>
      part === VALUES_FILE || !/^node_modules$|^\.|~$|\.log$/.test(part)
    );
}
