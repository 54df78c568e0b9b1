/** What is being watched. */
export interface Watch extends Disposable {
  /** Settles when nothing is watched any more. */
  readonly ended: Promise<void>;
}

/**
 * Watches a folder, and says once that something changed when it has been quiet for a moment.
 *
 * @param folder The folder, with all that is in it.
 * @param onChange Told which paths changed; until it has settled, further changes wait.
 * @param isOfInterest Which paths count; all without.
 * @param quiet How long nothing must have happened, in milliseconds.
 * @returns The watch.
 */
export function watch(
  folder: string,
  onChange: (paths: ReadonlySet<string>) => Promise<void>,
  isOfInterest: (path: string) => boolean = () => true,
  quiet = 150,
): Watch {
  const watcher = Deno.watchFs(folder, { recursive: true });
  let paths = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Promise.resolve();
  let isOver = false;

  const tell = () => {
    const changed = paths;
    paths = new Set();
    last = last.then(() => isOver ? undefined : onChange(changed));
  };
  const run = async () => {
    for await (const event of watcher) {
      if (event.kind === "access") continue;
      for (const path of event.paths.filter(isOfInterest)) paths.add(path);
      if (paths.size === 0) continue;
      clearTimeout(timer);
      timer = setTimeout(tell, quiet);
    }
    await last;
  };
  const ended = run();
  return {
    ended,
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(timer);
      watcher.close();
    },
  };
}
