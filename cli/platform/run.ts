import { basename, dirname, join, resolve, sep } from "node:path";
import type { CliOptions } from "../arguments.ts";
import type { ReloadingHost } from "./function_host.ts";
import { createInProcessHost } from "./in_process_host.ts";
import { Log } from "./log.ts";
import { type Manifest, readManifest } from "../manifest/manifest.ts";
import { type Platform, startPlatform } from "./platform.ts";
import { createSandboxHost, type SandboxHostOptions } from "./sandbox/host.ts";
import { formatRecord, introduce } from "./terminal.ts";
import { watch } from "./watch.ts";

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
export async function run(options: CliOptions, environment: CliEnvironment): Promise<void> {
  const { manifestPath, data, isInProcess } = options;
  const { signal, print, isColored } = environment;
  const log = new Log();
  let manifest = await readManifest(manifestPath);
  await using host = await createHost(isInProcess, {
    manifest,
    manifestPath,
    log: (record) => log.write(record),
    signal,
  });
  if (host === undefined) return;
  const watchedFolder = resolve(dirname(manifestPath));
  let { port } = options;
  for (let shown = 0; !signal.aborted;) {
    await using platform = await startPlatform(manifest, {
      host,
      port,
      data: data ?? join(".mate", manifest.name),
      log,
    });
    const { bucketsFolder, url } = platform;
    port = platform.port; // A changed manifest keeps the URL.
    let stopShowing = () => {};
    const show = () => {
      for (const line of introduce({ manifest, url, bucketsFolder, watchedFolder })) print(line);
      // The log comes after the URLs, with the records that it has already.
      for (const record of log.after(shown)) print(formatRecord(record, isColored));
      stopShowing = log.follow((record) => print(formatRecord(record, isColored)));
    };
    manifest = await watchUntilRestart(options, platform, host, log, signal, show) ?? manifest;
    stopShowing();
    shown = log.after(0).at(-1)?.number ?? 0;
  }
}

/** Makes the host, or nothing if that is interrupted. */
async function createHost(
  isInProcess: boolean,
  options: SandboxHostOptions & { readonly signal: AbortSignal },
): Promise<ReloadingHost | undefined> {
  try {
    return await (isInProcess ? createInProcessHost : createSandboxHost)(options);
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}

/** Reloads the functions after changes. Returns the manifest if it changes, or nothing at the end. */
async function watchUntilRestart(
  { manifestPath }: CliOptions,
  platform: Platform,
  host: ReloadingHost,
  log: Log,
  signal: AbortSignal,
  onWatching: () => void,
): Promise<Manifest | undefined> {
  const { promise: end, resolve: stop } = Promise.withResolvers<Manifest | undefined>();
  const folder = resolve(dirname(manifestPath));
  const onChange = async (paths: ReadonlySet<string>) => {
    const isManifest = paths.has(join(folder, basename(manifestPath)));
    const manifest = await reload(isManifest ? manifestPath : undefined, host, log);
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

/** Reloads the functions. If that fails, the log says why, and the former functions go on. */
async function reload(
  manifestPath: string | undefined,
  host: ReloadingHost,
  log: Log,
): Promise<Manifest | undefined> {
  try {
    const manifest = manifestPath === undefined ? undefined : await readManifest(manifestPath);
    const changed = await host.reload(manifest);
    if (manifest !== undefined) log.note(`Reloaded "${manifestPath}"`);
    else if (changed.length > 0) log.note(`Reloaded ${changed.join(", ")}`);
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
