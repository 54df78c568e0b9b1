import { resolve } from "node:path";

export interface WatchOptions {
  /** Takes the paths that changed. Later changes wait until the promise has settled. */
  readonly onChange: (paths: ReadonlySet<string>) => Promise<void>;
  readonly onError: (error: Error) => void;
  /** Tells whether a path counts. By default, every path counts. */
  readonly isOfInterest?: ((path: string) => boolean) | undefined;
  /** Whether changes in the folders below count, too. The default is true. */
  readonly isRecursive?: boolean | undefined;
  /** The time without changes before `onChange` is called, in milliseconds. The default is 5. */
  readonly quiet?: number | undefined;
}

/**
 * Watches a folder. Collects changes and reports them after a moment without changes. If the folder is removed and exists
 * again when `onChange` has settled, the watch goes on.
 */
export function watch(folder: string, options: WatchOptions): AsyncDisposable {
  return new FolderWatch(folder, options);
}

class FolderWatch implements AsyncDisposable {
  readonly #roots: readonly string[];
  #watcher: Deno.FsWatcher;
  #reading: Promise<void>;
  #telling = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #onEvent = () => {};

  // Changes and problems that have not been reported:
  #paths = new Set<string>();
  #problems = new Set<string>();
  #isRemoved = false;

  constructor(private readonly folder: string, private readonly options: WatchOptions) {
    this.#roots = [resolve(folder), Deno.realPathSync(folder)];
    this.#watcher = this.#open();
    this.#reading = this.#read();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#telling;
    if (!await this.#isAtWork()) return;
    this.#watcher.close();
    await this.#reading;
  }

  #open(): Deno.FsWatcher {
    return Deno.watchFs(this.folder, { recursive: this.options.isRecursive ?? true });
  }

  async #read(): Promise<void> {
    const events = this.#watcher[Symbol.asyncIterator]();
    for (let isDone: boolean | undefined = false; !isDone;) {
      try {
        const event = await events.next();
        isDone = event.done;
        if (!event.done) this.#take(event.value);
      } catch (error) { // The name of a file is not UTF-8, for example. The next event may be good.
        this.#problems.add((error as Error).message);
      }
      if (this.#paths.size + this.#problems.size > 0 || this.#isRemoved) this.#tellSoon();
    }
  }

  #take({ kind, paths }: Deno.FsEvent): void {
    this.#onEvent();
    if (kind === "access") return;
    const { isOfInterest = () => true } = this.options;
    for (const path of paths) if (isOfInterest(path)) this.#paths.add(path);
    // If the folder was moved away and another one is in its place already, the kind is "rename".
    this.#isRemoved ||= (kind === "remove" || kind === "rename") &&
      paths.some((path) => this.#roots.includes(path));
  }

  #tellSoon(): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#telling = this.#telling.then(() => this.#tell()).catch((error) => this.#report(error));
    }, this.options.quiet ?? 5);
  }

  async #tell(): Promise<void> {
    if (this.#isOver) return;
    const { onChange } = this.options;
    const paths = this.#paths;
    this.#paths = new Set();
    for (const problem of this.#problems) this.#report(new Error(problem));
    this.#problems = new Set();
    if (paths.size > 0 || this.#isRemoved) await onChange(paths);
    if (!this.#isRemoved || this.#isOver) return;
    this.#isRemoved = false;
    this.#watcher.close();
    await this.#reading; // The system has one watch for each path. So the old watch must end before the new one begins.
    this.#watcher = this.#open();
    this.#reading = this.#read();
    await onChange(new Set(this.#roots)); // There may have been changes between the two watches.
  }

  #report({ message }: Error): void {
    const text = `Cannot watch ${JSON.stringify(this.folder)}: ${message}`;
    this.options.onError(new Error(text));
  }

  /**
   * Tells whether events arrive. On Linux, a named pipe in the folder stops the events, because the thread of the events
   * waits for a writer of the pipe. Then closing the watcher would never end.
   */
  async #isAtWork(): Promise<boolean> {
    if (Deno.build.os !== "linux") return true;
    const { promise, resolve: settle } = Promise.withResolvers<boolean>();
    this.#onEvent = () => settle(true);
    const patience = setTimeout(settle, 2_000, false);
    this.#reading.then(this.#onEvent);
    try {
      const { mode } = await Deno.stat(this.folder);
      await Deno.chmod(this.folder, mode! & 0o7777); // This makes an event, but changes nothing.
    } catch {
      this.#onEvent(); // The folder is gone or belongs to another user. Assume that events arrive.
    }
    const answer = await promise;
    clearTimeout(patience);
    return answer;
  }
}
