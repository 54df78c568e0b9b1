import { resolve } from "node:path";

/** How a folder is watched. */
export interface WatchOptions {
  /** Told which paths changed; until it has settled, further changes wait. */
  readonly onChange: (paths: ReadonlySet<string>) => Promise<void>;
  /** Told what cannot be watched. */
  readonly onError: (error: Error) => void;
  /** Which paths count; all without. */
  readonly isOfInterest?: ((path: string) => boolean) | undefined;
  /** How long nothing must have happened, in milliseconds; 150 without. */
  readonly quiet?: number | undefined;
}

/**
 * Watches a folder, and says once that something changed when it has been quiet for a moment. A folder that is removed is
 * watched again if it is there once `onChange` has settled.
 *
 * @returns The watch; dispose of it to end it.
 * @throws {Error} If the folder cannot be watched.
 */
export function watch(folder: string, options: WatchOptions): AsyncDisposable {
  return new FolderWatch(folder, options);
}

class FolderWatch implements AsyncDisposable {
  readonly #folder: string;
  readonly #options: WatchOptions;
  readonly #roots: readonly string[];
  #watcher: Deno.FsWatcher;
  #reading: Promise<void>;
  #telling = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #onEvent = () => {};

  // What is not told of yet.
  #paths = new Set<string>();
  #problems = new Set<string>();
  #isRemoved = false;

  constructor(folder: string, options: WatchOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#roots = [resolve(folder), Deno.realPathSync(folder)];
    this.#watcher = Deno.watchFs(folder, { recursive: true });
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

  async #read(): Promise<void> {
    const events = this.#watcher[Symbol.asyncIterator]();
    for (let isDone: boolean | undefined = false; !isDone;) {
      try {
        const event = await events.next();
        isDone = event.done;
        if (!event.done) this.#take(event.value);
      } catch (error) { // one that a name is not UTF-8, say: the next event is a good one
        this.#problems.add((error as Error).message);
      }
      if (this.#paths.size + this.#problems.size > 0 || this.#isRemoved) this.#tellSoon();
    }
  }

  #take({ kind, paths }: Deno.FsEvent): void {
    this.#onEvent();
    if (kind === "access") return;
    const { isOfInterest = () => true } = this.#options;
    for (const path of paths) if (isOfInterest(path)) this.#paths.add(path);
    // A folder that was moved away is "rename" where there is another one in its place already.
    this.#isRemoved ||= (kind === "remove" || kind === "rename") &&
      paths.some((path) => this.#roots.includes(path));
  }

  #tellSoon(): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#telling = this.#telling.then(() => this.#tell()).catch((error) => this.#report(error));
    }, this.#options.quiet ?? 150);
  }

  async #tell(): Promise<void> {
    if (this.#isOver) return;
    const { onChange } = this.#options;
    const paths = this.#paths;
    this.#paths = new Set();
    for (const problem of this.#problems) this.#report(new Error(problem));
    this.#problems = new Set();
    if (paths.size > 0 || this.#isRemoved) await onChange(paths);
    if (!this.#isRemoved || this.#isOver) return;
    this.#isRemoved = false;
    this.#watcher.close();
    await this.#reading; // the system knows one watch of a path: the end of this one would be the end of the next
    this.#watcher = Deno.watchFs(this.#folder, { recursive: true });
    this.#reading = this.#read();
    await onChange(new Set(this.#roots)); // for what came in between
  }

  #report({ message }: Error): void {
    const text = `Cannot watch ${JSON.stringify(this.#folder)}: ${message}`;
    this.#options.onError(new Error(text));
  }

  /**
   * Whether events arrive. On Linux none does once a named pipe appeared in the folder, since the thread that brings them
   * waits for somebody to write to it, as everything would then that closes the watcher.
   */
  async #isAtWork(): Promise<boolean> {
    if (Deno.build.os !== "linux") return true;
    const { promise, resolve: settle } = Promise.withResolvers<boolean>();
    this.#onEvent = () => settle(true);
    const patience = setTimeout(settle, 2_000, false);
    this.#reading.then(this.#onEvent);
    try {
      const { mode } = await Deno.stat(this.#folder);
      await Deno.chmod(this.#folder, mode! & 0o7777); // an event that changes nothing
    } catch {
      this.#onEvent(); // a folder that is gone, or another's: nothing to go by
    }
    const answer = await promise;
    clearTimeout(patience);
    return answer;
  }
}
