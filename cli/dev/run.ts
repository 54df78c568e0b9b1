import { dirname, join, resolve, sep } from "node:path";
import { loopsOf } from "../application/invoking.ts";
import type { LogRecord } from "../lambda/function_host.ts";
import { VALUES_FILE } from "../manifest/local_values.ts";
import { BUCKETS_FOLDER } from "../sources/buckets.ts";
import { watch } from "../sources/watch.ts";
import { begin, type Beginning, readSettings, settingsFiles } from "./beginning.ts";
import { openDataFolder, openOwnFolder, writeAddress } from "./data_folder.ts";
import { originOf } from "./listener.ts";
import { TABLES_FILE } from "./open_platform.ts";
import { openStartPage } from "./open_start_page.ts";
import { type PlatformOptions, startFresh } from "./platform.ts";
import type { LocalApplication } from "./resolve_locally.ts";
import { SandboxHost } from "./sandbox_host/host.ts";
import { Session, type Version } from "./session.ts";
import { formatRecord, introduce, isFrame } from "./terminal.ts";

/** The time between the bundles of all functions and the first check of the API, in milliseconds. */
const PAUSE = 1_000;

/** The options of {@linkcode run}. */
export interface RunOptions
  extends Pick<PlatformOptions, "stage" | "profile" | "time" | "inspect"> {
  readonly manifestPath: string;
  readonly port: number;
  /** The folder for the objects of the buckets and the items of the tables. The default is `.mate/NAME`. */
  readonly data: string | undefined;
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
  const { manifestPath, stage, data } = options;
  const { signal } = environment;
  await using begun = beginning ?? await begin({ ...options, signal });
  await using session = await Session.open(begun.local.name, {
    ...options,
    log: begun.log,
    saving: { manifestPath, startFresh: startFresh.bind(undefined, manifestPath, stage) },
    keepsItems: true,
    openData: async (name, former) =>
      data === undefined
        ? await openOwnFolder(dirname(manifestPath), name, former)
        : former ?? await openDataFolder(data),
  });
  await using development = new Development(session, begun, options, environment);
  try {
    await development.run();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Runs a session, takes each change of its files, and shows its log. */
class Development implements AsyncDisposable {
  readonly #folder: string;
  /** The signal, or the reason why no version answers any more. */
  readonly #end = Promise.withResolvers<void>();
  /** The host of all versions; `undefined` before the start. */
  #host: SandboxHost | undefined;
  /** The settings at their last change. */
  #settings: string;
  #watches: AsyncDisposableStack | undefined;
  readonly #watched = new Set<string>();
  #taking = Promise.resolve(); // One change after the other, because there are several watches.
  #firstCheck: ReturnType<typeof setTimeout> | undefined;
  #hasChecked = false;
  /** The number of the last record before the present version. */
  #former = 0;
  #stopShowing = () => {};

  constructor(
    private readonly session: Session,
    private readonly begun: Beginning,
    private readonly options: RunOptions,
    private readonly environment: CliEnvironment,
  ) {
    this.#folder = resolve(dirname(options.manifestPath));
    this.#settings = begun.settings;
    environment.signal.addEventListener("abort", () => this.#end.resolve());
    this.#end.promise.catch(() => {}); // It may reject before run() waits for it.
  }

  /** Runs the first version and those that replace it, until the signal. */
  async run(): Promise<void> {
    const { session, begun: { local, bundles, log }, options, environment: { signal } } = this;
    const { manifestPath, inspect } = options;
    const version = await this.#read(local);
    const { application } = version;
    const host = this.#host = session.owned.use(
      await SandboxHost.open({
        ...{ application, manifestPath, bundles, signal, inspect, first: local.first },
        log: (record) => log.write(record),
        bundling: "later",
        onBundled: (isAll) => {
          this.#watchOthers();
          if (isAll) this.#checkFirst();
        },
      }),
    );
    const { ready } = await session.start(version, host);
    ready.catch(this.#end.reject); // The first answer does not wait for the tables.
    const shown = Promise.withResolvers<void>();
    this.#taking = shown.promise; // Changes wait, because a restart shows the application again.
    try {
      this.#watch(); // Before it is shown, because the developer may change files at once.
      const isSame = await readSettings(manifestPath) === this.#settings;
      await this.#show();
      // The watch has not told of what was saved before it.
      void this.#listeners.onChange(new Set(isSame ? [] : settingsFiles(manifestPath)));
    } finally {
      shown.resolve();
    }
    if (options.isOpened) {
      const { urls: { controlUrl }, sockets: { port } } = session;
      const door = { port, controlUrl, isConfined: host.isConfined };
      session.owned.use(await openStartPage(door, (text) => log.note(text)));
    }
    if (Object.keys(application.functions).length === 0) this.#checkFirst();
    if (!signal.aborted) await this.#end.promise;
  }

  async #read(local: LocalApplication): Promise<Version> {
    const version = await this.session.read(local);
    loopsOf(version.application).forEach((line) => this.begun.log.note(`WARN ${line}`));
    return version;
  }

  /** Checks the API when all functions are bundled, and a little later: the first answer would come later beside the check. */
  #checkFirst(): void {
    if (this.environment.signal.aborted) return;
    this.#firstCheck ??= setTimeout(() => {
      this.#hasChecked = true;
      this.session.api.check();
    }, PAUSE);
  }

  readonly #listeners = {
    onChange: (paths: ReadonlySet<string>) =>
      this.#taking = this.#taking.then(() => this.#take(paths)),
    onError: ({ message }: Error) => this.begun.log.note(message),
  };

  #watch(): void {
    const data = resolve(this.session.version!.data.path);
    const isOfInterest = isSource(this.#folder, [
      join(data, BUCKETS_FOLDER) + sep,
      join(data, TABLES_FILE),
    ]);
    this.#watches = new AsyncDisposableStack();
    this.#watches.use(watch(this.#folder, { ...this.#listeners, isOfInterest }));
    this.#watchOthers();
  }

  /** Watches the folders of files that functions import from elsewhere, such as another member of the workspace. */
  #watchOthers(): void {
    if (this.#watches === undefined || this.#watches.disposed) return;
    const added = [...this.#host!.foldersElsewhere].filter((folder) => !this.#watched.has(folder));
    for (const folder of added) {
      this.#watched.add(folder);
      const isOfInterest = isSource(folder, []);
      try {
        this.#watches.use(watch(folder, { ...this.#listeners, isOfInterest, isRecursive: false }));
      } catch (error) {
        this.#listeners.onError(error as Error);
      }
    }
    if (added.length > 0) void this.#listeners.onChange(new Set()); // A file may have changed after its function was bundled.
  }

  async #take(paths: ReadonlySet<string>): Promise<void> {
    try {
      const next = await this.#hasNewSettings(paths) ? await this.#readNext() : undefined;
      if (next === undefined) await this.#reload();
      else await this.#restart(next);
    } catch (error) {
      this.#keepOld(error as Error);
    } finally {
      this.#watchOthers();
    }
  }

  /** Whether the manifest or `.env` was written after the last such change. The system may tell twice of one write. */
  async #hasNewSettings(paths: ReadonlySet<string>): Promise<boolean> {
    const { manifestPath } = this.options;
    if (!settingsFiles(manifestPath).some((file) => paths.has(file))) return false;
    const former = this.#settings;
    this.#settings = await readSettings(manifestPath);
    return this.#settings !== former;
  }

  async #reload(): Promise<void> {
    const { session, begun: { log } } = this;
    const changed = await this.#host!.reload();
    session.platform!.flushAuthorizers(); // The new code may decide otherwise.
    if (this.#hasChecked) session.api.check(); // Otherwise the first check sees this change.
    if (changed.length > 0) {
      log.note(`Reloaded ${changed.join(", ")}: the next invocation runs the new code`);
    }
  }

  /** Reads the version that the files have now. If it is invalid, the current version goes on. */
  async #readNext(): Promise<Version | undefined> {
    try {
      return await this.#read(await this.begun.read());
    } catch (error) {
      this.#keepOld(error as Error);
      return undefined;
    }
  }

  /** Runs another version. If it does not run, the current version goes on. */
  async #restart(next: Version): Promise<void> {
    const { session, begun: { log } } = this;
    log.note(`Reloading "${this.options.manifestPath}"`);
    this.#stopShowing();
    this.#former = log.after(0).at(-1)?.number ?? 0;
    try {
      const problem = await session.replace(next, this.#host!);
      if (problem !== undefined) this.#keepOld(problem);
      this.#watchOthers();
      await this.#show();
      session.api.check();
    } catch (error) {
      this.#end.reject(error);
    }
  }

  #keepOld({ message }: Error): void {
    if (this.environment.signal.aborted) return; // Then the end stopped the work.
    this.begun.log.note(`ERROR ${message}\nFor now, the old version still answers`);
  }

  /** Shows where the application is, then the records that the log has already, and each later one. */
  async #show(): Promise<void> {
    const { urls, sockets: { port }, platform, version } = this.session;
    const { options: { isVerbose }, environment: { print, isColored, width }, begun: { log } } =
      this;
    const { application, data } = version!;
    const { isConfined, inspector } = this.#host!;
    // Without the secret, if the system lets the front door tell it to the developer alone.
    await writeAddress(data.path, `${isConfined ? originOf("platform", port) : urls.controlUrl}/`);
    const parts = { application, inspector: inspector?.line, isConfined, isVerbose };
    for (const line of introduce({ ...parts, ...urls, ...platform! })) print(line);
    const write = (record: LogRecord) => {
      if (isVerbose || !isFrame(record)) print(formatRecord(record, isColored, width?.()));
    };
    log.after(this.#former).forEach(write);
    this.#stopShowing = log.follow(write);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#firstCheck);
    // The platform ends before the watches, because the end of a watch ends the watches of folders in it, such as buckets.
    await this.session.stop();
    await this.#watches?.disposeAsync();
    await this.#taking; // It may open another platform, which ends with the session.
  }
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
