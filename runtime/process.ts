import type { FnHandler } from "../function/context.ts";
import { captureConsole } from "../logger/console.ts";
import { logger, withRequestId } from "../logger/mod.ts";
import { currentRequestId } from "../logger/request_id.ts";
import { loggerState } from "../logger/state.ts";
import { RuntimeFailure } from "./failure.ts";
import { currentHost, type Host } from "./host.ts";
import { readApi } from "./run.ts";
import { stackMapper } from "./source_map.ts";
import { readConcurrency, Session } from "./session.ts";

/**
 * Runs the loop as the only purpose of the process: an error that ends the loop is reported and ends the process.
 *
 * @param load Loads the handler.
 * @param prepare Does the work that must be done before the first invocation.
 * @throws {Error} If the address of the Runtime API is not set or malformed, because then nothing can be reported.
 */
export function takeOver(
  load: (host: Host) => FnHandler | Promise<FnHandler>,
  prepare?: (host: Host, api: string) => Promise<void>,
): void {
  const host = currentHost();
  const api = readApi(host);
  const session = new Session(host, api);
  const root = host.getEnv("LAMBDA_TASK_ROOT");
  captureConsole();
  if (root) loggerState().mapStack = stackMapper(root, host.readText);
  let isStarted = false;
  let isEnding = false;

  const end = async (message: string, error: unknown) => {
    // The listeners for errors may run outside the asynchronous context of the invocation.
    const id = currentRequestId(loggerState()) || session.requestId;
    withRequestId(id, () => logger.critical(message, error));
    if (isEnding) return;
    isEnding = true;
    try {
      await session.end(error);
    } finally {
      host.exit(1);
    }
  };

  host.onUncaught((error) => void end("An error was not caught", error));
  host.onDrained(() => {
    const culprit = isStarted ? "handler" : "module of the handler";
    const message = `The ${culprit} never settled: it awaits a promise that nothing can settle`;
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
      await opened; // an error that is not caught meanwhile fails the start too
    } catch (error) {
      return await end("The function did not start", error);
    }
    if (isEnding) return;
    isStarted = true;
    try {
      await session.run(handler, concurrency);
    } catch (error) {
      if (isEnding) return;
      logger.critical("The runtime cannot go on", error);
      host.exit(1);
    }
  })();
}
