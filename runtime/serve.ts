import type { FnHandler } from "../function/context.ts";
import { captureConsole } from "../logger/console.ts";
import { logger, withRequestId } from "../logger/mod.ts";
import { currentRequestId } from "../logger/request_id.ts";
import { loggerState } from "../logger/state.ts";
import { Connection } from "./connection.ts";
import { RuntimeFailure } from "./failure.ts";
import { checkHandler } from "./handler.ts";
import { currentHost, type Host } from "./host.ts";
import { readApi } from "./run.ts";
import { readConcurrency, Session } from "./session.ts";
import { stackMapper } from "./source_map.ts";

/** The options of {@linkcode serve}. */
export interface ServeOptions {
  /**
   * Called once when the platform shuts the sandbox down. The process ends when the callback has settled. The platform
   * allows 500 ms.
   *
   * The platform announces a shutdown only to functions with an extension. Therefore a function with this callback
   * registers an internal extension without events. The registration takes one request at the start.
   */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
}

/**
 * Makes the process a function of AWS Lambda: serves invocations with a handler until the platform ends the process.
 *
 * These errors end the process with status 1: an invalid handler, an uncaught error, an unhandled rejection, a handler
 * that can never settle, and a refusal of the Runtime API. The error is logged and reported to the platform as the
 * failure of every invocation under way, or of the start if no invocation has begun. The reports may take 2 s.
 *
 * Call `serve()` once, at the end of the module, and do not await it. An error that the module throws before this call
 * cannot be reported.
 *
 * `serve()` reads `AWS_LAMBDA_RUNTIME_API`, `AWS_LAMBDA_FUNCTION_*`, `AWS_LAMBDA_LOG_*`, `AWS_LAMBDA_MAX_CONCURRENCY`
 * and `LAMBDA_TASK_ROOT`, sets `_X_AMZN_TRACE_ID`, and connects to the Runtime API only. On Deno it needs `--allow-env`
 * and `--allow-net`.
 *
 * @typeParam Event The type of the events.
 * @typeParam Result The type of the handler's results: any JSON value, a {@linkcode StreamBody}, or the result of
 * {@linkcode httpStream}.
 * @param handler The handler.
 * @param options The callback for the shutdown.
 * @throws {TypeError} If `AWS_LAMBDA_RUNTIME_API` is malformed.
 * @throws {Error} If `AWS_LAMBDA_RUNTIME_API` is not set, because then the process is not a function.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html
 *
 * @example A function in one file
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { serve } from "@mate/core/runtime";
 *
 * export function handler(event: { name: string }): string {
 *   return `Hello ${event.name}`;
 * }
 *
 * // AWS Lambda sets the variable. Without the variable, the module only exports its handler.
 * if (Deno.env.has("AWS_LAMBDA_RUNTIME_API")) serve(handler);
 *
 * assertEquals(handler({ name: "Ada" }), "Hello Ada");
 * ```
 */
export function serve<Event, Result>(
  handler: FnHandler<Event, Result>,
  options: ServeOptions = {},
): void {
  const { onShutdown } = options;
  takeOver(
    () => {
      checkHandler(handler, "handler");
      return handler as FnHandler;
    },
    onShutdown && ((host, api) => watchShutdown(host, api, onShutdown)),
  );
}

/**
 * Runs the loop. An error that ends the loop is reported and ends the process.
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
    const id = currentRequestId() || session.requestId;
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

  const opened = session.client.connection.open(); // while the handler is loaded
  void (async () => {
    let handler: FnHandler;
    let concurrency: number | undefined;
    try {
      concurrency = readConcurrency(host);
      handler = await load(host);
      await prepare?.(host, api);
      await opened; // an uncaught error that happens meanwhile still fails the start
    } catch (error) {
      return await end("The function did not start", error);
    }
    if (isEnding) return;
    isStarted = true;
    try {
      await session.run(handler, concurrency);
    } catch (error) {
      logger.critical("The runtime cannot go on", error);
      host.exit(1);
    }
  })();
}

const EXTENSIONS_API = "/2020-01-01/extension";

/**
 * Calls the callback at SIGTERM. The platform sends SIGTERM only to a function with an extension.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-extensions-api.html
 */
async function watchShutdown(
  host: Host,
  api: string,
  onShutdown: () => void | Promise<void>,
): Promise<void> {
  let isShuttingDown = false;
  host.onTerminate(async () => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    try {
      await onShutdown();
    } catch (error) {
      logger.error("The shutdown failed", error);
    }
    host.exit(0);
  });
  const connection = new Connection(api, host);
  try {
    const { status, fields } = await connection.exchange(
      `POST ${EXTENSIONS_API}/register`,
      "Lambda-Extension-Name: mate-core-shutdown\r\n",
      '{"events":[]}',
    );
    const id = fields.get("lambda-extension-identifier");
    if (id === undefined) throw new Error(`The Extensions API answered ${status}`);
    connection.unref();
    // The platform waits for this request before it counts the extension as started. The request is never answered.
    connection.exchange(
      `GET ${EXTENSIONS_API}/event/next`,
      `Lambda-Extension-Identifier: ${id}\r\n`,
    ).catch((error) => logger.warn("The platform does not announce shutdowns any more", error));
  } catch (error) {
    logger.warn("Cannot register for the shutdown", error);
  }
}
