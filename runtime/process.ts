import type { FnHandler } from "../function/context.ts";
import { logger } from "../logger/mod.ts";
import { currentHost } from "./current_host.ts";
import { RuntimeFailure } from "./failure.ts";
import type { Host } from "./host.ts";
import { readConcurrency, Session } from "./session.ts";
import { readApi } from "./run.ts";

/**
 * Runs the loop as what the process is there for: whatever ends it ends the process, and is reported before.
 *
 * @param load Loads the handler.
 * @param prepare What has to be done before the first invocation.
 * @throws {Error} If the environment does not say where the Runtime API is, so that nothing can be reported.
 */
export function takeOver(
  load: (host: Host) => FnHandler | Promise<FnHandler>,
  prepare?: (host: Host, api: string) => Promise<void>,
): void {
  const host = currentHost();
  const api = readApi(host.getEnv);
  const session = new Session(host, api);
  let started = false;
  let ending = false;

  const end = async (message: string, error: unknown) => {
    logger.critical(message, error);
    if (ending) return;
    ending = true;
    try {
      await session.end(error);
    } finally {
      host.exit(1);
    }
  };

  host.onUncaught((error) => void end("An error was not caught", error));
  host.onDrained(() => {
    const what = started ? "handler" : "handler's module";
    const message = `The ${what} never settled: it awaits a promise that nothing is left to settle`;
    void end("Nothing is left to run", new RuntimeFailure("Runtime.NeverSettled", message));
  });

  const opened = session.client.open(); // while the handler is loaded
  void (async () => {
    let handler: FnHandler;
    let concurrency: number | undefined;
    try {
      concurrency = readConcurrency(host);
      handler = await load(host);
      await prepare?.(host, api);
      await opened; // what goes wrong meanwhile is a failed start too
    } catch (error) {
      return await end("The function did not start", error);
    }
    if (ending) return; // and about to exit
    started = true;
    try {
      await session.run(handler, concurrency);
    } catch (error) {
      if (ending) return;
      logger.critical("The runtime cannot go on", error);
      host.exit(1);
    }
  })();
}
