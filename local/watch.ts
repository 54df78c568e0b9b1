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
 * @param folder The folder, with all that is in it.
 * @param options How it is watched.
 * @returns The watch; dispose of it to end it.
 * @throws {Error} If the folder cannot be watched.
 */
export function watch(folder: string, options: WatchOptions): AsyncDisposable {
  const { onChange, isOfInterest = () => true, quiet = 150 } = options;
  const roots = [resolve(folder), Deno.realPathSync(folder)];
  let watcher = Deno.watchFs(folder, { recursive: true });
  let paths = new Set<string>();
  let problems = new Set<string>();
  let isRemoved = false;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onEvent = () => {};

  const take = ({ kind, paths: touched }: Deno.FsEvent) => {
    onEvent();
    if (kind === "access") return;
    for (const path of touched) if (isOfInterest(path)) paths.add(path);
    // A folder that was moved away is "rename" where there is another one in its place already.
    isRemoved ||= (kind === "remove" || kind === "rename") &&
      touched.some((path) => roots.includes(path));
  };
  const read = async () => {
    const events = watcher[Symbol.asyncIterator]();
    for (let isDone: boolean | undefined = false; !isDone;) {
      try {
        const event = await events.next();
        isDone = event.done;
        if (!event.done) take(event.value);
      } catch (error) { // one that a name is not UTF-8, say: the next event is a good one
        problems.add((error as Error).message);
      }
      if (isOver || paths.size + problems.size === 0 && !isRemoved) continue;
      clearTimeout(timer);
      timer = setTimeout(() => last = last.then(tell).catch(report), quiet);
    }
  };
  const tell = async () => {
    if (isOver) return;
    const changed = paths;
    paths = new Set();
    for (const problem of problems) report(new Error(problem));
    problems = new Set();
    if (changed.size > 0 || isRemoved) await onChange(changed);
    if (!isRemoved || isOver) return;
    isRemoved = false;
    watcher.close();
    await reading; // the system knows one watch of a path: the end of this one would be the end of the next
    watcher = Deno.watchFs(folder, { recursive: true });
    reading = read();
    await onChange(new Set(roots)); // for what came in between
  };
  const report = ({ message }: Error) =>
    options.onError(new Error(`Cannot watch ${JSON.stringify(folder)}: ${message}`));
  /**
   * Whether events arrive. On Linux none does once a named pipe appeared in the folder, since the thread that brings them
   * waits for somebody to write to it, as everything would then that closes the watcher.
   */
  const isAtWork = async () => {
    if (Deno.build.os !== "linux") return true;
    const { promise, resolve: settle } = Promise.withResolvers<boolean>();
    onEvent = () => settle(true);
    const patience = setTimeout(settle, 2_000, false);
    reading.then(onEvent);
    try {
      await Deno.chmod(folder, (await Deno.stat(folder)).mode! & 0o7777); // an event that changes nothing
    } catch {
      onEvent(); // a folder that is gone, or another's: nothing to go by
    }
    const answer = await promise;
    clearTimeout(patience);
    return answer;
  };

  let last: Promise<void> = Promise.resolve();
  let reading = read();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      clearTimeout(timer);
      await last;
      if (!await isAtWork()) return;
      watcher.close();
      await reading;
    },
  };
}
