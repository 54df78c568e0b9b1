import { basename, dirname, join, resolve, sep } from "node:path";
import type { Application } from "../application/types.ts";
import { ApiDocument } from "./api_document.ts";
import { begin, type Beginning } from "./beginning.ts";
import {
  type DataFolder,
  openDataFolder,
  openOwnFolder,
  ownFolder,
  writeAddress,
} from "./data_folder.ts";
import { controlUrlOf, originOf } from "./listener.ts";
import { loopsOf } from "../application/invoking.ts";
import type { ApplicationHost, LogRecord } from "../lambda/function_host.ts";
import { readEmulators, VALUES_FILE } from "../manifest/local_values.ts";
import { type OpenOptions, type OpenPlatform, openPlatform, TABLES_FILE } from "./open_platform.ts";
import { findLogin } from "./forwarding.ts";
import { openStartPage } from "./open_start_page.ts";
import { startFresh } from "./platform.ts";
import type { LocalApplication } from "./resolve_locally.ts";
import { SandboxHost } from "./sandbox_host/host.ts";
import { Sockets } from "./sockets.ts";
import { formatRecord, introduce, isFrame } from "./terminal.ts";
import { Traces } from "./traces/traces.ts";
import { watch } from "../sources/watch.ts";

/** The time between the bundles of all functions and the first check of the API, in milliseconds. */
const PAUSE = 1_000;

/** The options of {@linkcode run}. */
export interface RunOptions {
  readonly manifestPath: string;
  /** The stage; by default the stage that the manifest names. */
  readonly stage?: string | undefined;
  readonly port: number;
  /** The profile of the AWS tools for services that are not emulated. */
  readonly profile?: string | undefined;
  /** The folder for the objects of the buckets. The default is `.mate/NAME`. */
  readonly data: string | undefined;
  /** Whether `GET /settled` waits for due times, or skips them. */
  readonly time?: "real" | "skip" | undefined;
  /** The function that debuggers inspect. */
  readonly inspect?: string | undefined;
  /** Whether the terminal shows every address, and the lines START, END and REPORT of each invocation. The start page always does. */
  readonly isVerbose?: boolean | undefined;
  /** Whether to open the start page in the browser. */
  readonly isOpened?: boolean | undefined;
}

/** The signal that ends {@linkcode run}, and its terminal. */
export interface CliEnvironment {
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  readonly isColored: boolean;
  /** The width of the terminal, if the lines go to one. */
  readonly width?: (() => number) | undefined;
}

/**
 * Runs an application until the signal. Prints where it is, and then the log. If a file of a function changes, reloads the
 * functions. If the manifest or the file `.env` changes, restarts the application.
 *
 * @param beginning The application, if its first bundle is being made already.
 */
export async function run(
  options: RunOptions,
  environment: CliEnvironment,
  beginning?: Beginning,
): Promise<void> {
  const { manifestPath, inspect } = options;
  const { signal, print, isColored, width } = environment;
  const watchedFolder = resolve(dirname(manifestPath));
  await using stack = new AsyncDisposableStack();
  const begun = stack.use(beginning ?? await begin({ ...options, signal }));
  const { local, read, bundles, log } = begun;
  const openFolder = ({ name }: LocalApplication) =>
    options.data === undefined
      ? openOwnFolder(dirname(manifestPath), name)
      : openDataFolder(options.data);
  let folder = await openFolder(local);
  const traces = new Traces();
  stack.defer(() => folder[Symbol.asyncDispose]());
  const sockets = stack.use(await Sockets.open(options.port, (text) => log.note(text)));
  const { port, servicesUrl } = sockets;
  const urls = {
    url: originOf("application", port),
    controlUrl: controlUrlOf(sockets),
    servicesUrl,
  };
  const readHere = async (local: LocalApplication) => {
    const { application, missing } = local.resolve(sockets);
    missing.forEach((line) => log.note(line));
    loopsOf(application).forEach((line) => log.note(`WARN ${line}`));
    const login = await findLogin(dirname(manifestPath), options.profile);
    const emulators = await readEmulators(dirname(manifestPath), local.functions);
    return { application, login, emulators };
  };
  type Version = Awaited<ReturnType<typeof readHere>>;
  let current = await readHere(local);
  const api = stack.use(new ApiDocument(manifestPath, current.application, urls.url, log));
  let host: ApplicationHost | undefined; // The host survives a restart of the platform.
  let platform: OpenPlatform | undefined;
  const open = async (version: Version, host: OpenOptions["host"]) =>
    platform = await openPlatform({
      ...version,
      api,
      sockets,
      host,
      log,
      traces,
      saving: {
        manifestPath,
        startFresh: (secrets) => startFresh(manifestPath, options.stage, secrets),
      },
      folder: folder.path,
      keepsItems: true,
      time: options.time,
    });
  /** Checks the API when all functions are bundled, and a little later: the first answer would come later beside the check. */
  let checkFirst = () => {
    checkFirst = () => {};
    const timer = setTimeout(() => signal.aborted || api.check(), PAUSE);
    signal.addEventListener("abort", () => clearTimeout(timer));
  };
  const start = async () => {
    const write = (record: LogRecord) => log.write(record);
    const { first } = local;
    const { application } = current;
    const own = { application, manifestPath, bundles, first, log: write, signal, inspect };
    const onBundled = (isAll: boolean) => {
      watchOthers();
      if (isAll) checkFirst();
    };
    const opening = SandboxHost.open({ ...own, bundling: "later", onBundled });
    const opened = open(current, opening);
    opened.catch(() => {}); // It is awaited later.
    try {
      host = stack.use(await opening);
    } finally {
      await opened;
    }
  };
  let shown = 0;
  let stopShowing = () => {};
  const show = async (application: Application) => {
    // Without the secret, if the system lets the front door tell it to the developer alone.
    const place = host!.isConfined ? `${originOf("platform", port)}/` : `${urls.controlUrl}/`;
    await writeAddress(folder.path, place);
    const inspector = host!.inspector?.line;
    const { isVerbose } = options;
    const { isConfined } = host!;
    const parts = { application, inspector, isConfined, isVerbose, ...urls, ...platform! };
    for (const line of introduce(parts)) print(line);
    // The URLs come first, then the records that the log has already.
    const write = (record: LogRecord) => {
      if (!isVerbose && isFrame(record)) return;
      print(formatRecord(record, isColored, width?.()));
    };
    log.after(shown).forEach(write);
    stopShowing = log.follow(write);
  };
  const replace = async (version: Version) => {
    // The old platform answers until the bundling, which is slow, has ended.
    await host!.reload(version.application, async () => {
      sockets.pause();
      await platform![Symbol.asyncDispose]();
    });
    await open(version, host!);
  };
  /** Runs another version. If its platform does not open, the current version goes on. */
  const restart = async (next: Version, former: DataFolder) => {
    stopShowing();
    shown = log.after(0).at(-1)?.number ?? 0;
    let unused = former;
    try {
      await replace(next);
      current = next;
    } catch (error) {
      if (signal.aborted) throw error;
      [unused, folder] = [folder, former];
      await replace(current);
      keepOld(error as Error);
    } finally {
      if (unused !== folder) await unused[Symbol.asyncDispose]();
    }
    watchOthers();
    await show(current.application);
    api.check(current.application);
  };
  const keepOld = ({ message }: Error) =>
    log.note(`ERROR ${message}\nFor now, the old version still answers`);

  const { promise: end, resolve: stop, reject: fail } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stop());
  const unlessInterrupted = (error: unknown) => signal.aborted ? stop() : fail(error);
  const take = async (paths: ReadonlySet<string>) => {
    try {
      const settings = [basename(manifestPath), VALUES_FILE]
        .filter((file) => paths.has(join(watchedFolder, file)));
      if (settings.length > 0) {
        const local = await read();
        const next = await readHere(local);
        const former = folder;
        const path = options.data ?? ownFolder(dirname(manifestPath), local.name);
        if (path !== folder.path) folder = await openFolder(local);
        log.note(`Reloading "${manifestPath}"`);
        return await restart(next, former).catch(unlessInterrupted);
      }
      const changed = await host!.reload();
      platform!.flushAuthorizers(); // The new code may decide otherwise.
      api.check();
      if (changed.length > 0) {
        log.note(`Reloaded ${changed.join(", ")}: the next invocation runs the new code`);
      }
    } catch (error) {
      keepOld(error as Error);
    } finally {
      watchOthers();
    }
  };
  let watchOthers = () => {}; // Nothing is watched yet.
  let taking = Promise.resolve(); // One change after the other, because there are several watches.
  const onChange = (paths: ReadonlySet<string>) => taking = taking.then(() => take(paths));
  await start().catch(unlessInterrupted);
  if (platform === undefined) return await end;
  const platformEnd = {
    async [Symbol.asyncDispose]() {
      await sockets[Symbol.asyncDispose]();
      await platform![Symbol.asyncDispose]();
    },
  };
  await using _last = { // A platform may start while the watch ends.
    async [Symbol.asyncDispose]() {
      await taking;
      await platform![Symbol.asyncDispose]();
    },
  };
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
  watchOthers = () => {
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
  await show(current.application);
  const door = { port, controlUrl: urls.controlUrl, isConfined: host!.isConfined === true };
  if (options.isOpened) stack.use(await openStartPage(door, (text) => log.note(text)));
  if (Object.keys(current.application.functions).length === 0) checkFirst();
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
