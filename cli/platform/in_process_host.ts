import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FnContext } from "@mate/core/function";
import { createContext } from "@mate/core/testing";
import { functionArn, logStreamName } from "./arn.ts";
import type { InvokeOptions, InvokeOutcome, LogRecord, ReloadingHost } from "./function_host.ts";
import { MAX_RESULT } from "./limits.ts";
import type { FunctionManifest, Manifest } from "../manifest/manifest.ts";
import { captureConsole, type Scope, scopes, writeRecord } from "./in_process_console.ts";
import { setEnvironment } from "./in_process_environment.ts";
import { isStreamed, sendStream } from "./in_process_stream.ts";
import { LogTail } from "./sandbox/log_lines.ts";

/** How a host in this process runs an application. */
export interface InProcessHostOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** The path of the manifest. Modules are relative to it. */
  readonly manifestPath: string;
  /** Takes every record of the functions. */
  readonly log: (record: LogRecord) => void;
}

/**
 * Makes a host that runs the functions in this process, so that a debugger stops at their breakpoints. What a function
 * writes to the console goes to the log.
 *
 * The functions share the process with its environment, its memory and its permissions. `memory` and `permissions` of the
 * manifest have no effect, and a variable of `environment` is set if no two functions disagree about it. A function that
 * computes without end stops everything. A reload covers the modules of the handlers, but not the modules that they import.
 *
 * @param options How to run the application.
 * @returns The host.
 */
export function createInProcessHost(options: InProcessHostOptions): Promise<ReloadingHost> {
  return Promise.resolve(new InProcessHost(options));
}

class InProcessHost implements ReloadingHost {
  readonly #options: InProcessHostOptions;
  #manifest: Manifest;
  readonly #restoreConsole: () => void;
  #generation = 0;
  #restoreEnvironment: () => void;

  constructor(options: InProcessHostOptions) {
    this.#options = options;
    this.#manifest = options.manifest;
    this.#restoreConsole = captureConsole();
    this.#restoreEnvironment = setEnvironment(options.manifest);
  }

  reload(manifest: Manifest = this.#manifest): Promise<readonly string[]> {
    this.#manifest = manifest;
    this.#generation++;
    this.#restoreEnvironment();
    this.#restoreEnvironment = setEnvironment(manifest);
    return Promise.resolve(Object.keys(manifest.functions)); // Which of them have changed is not known.
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#restoreConsole();
    this.#restoreEnvironment();
    return Promise.resolve();
  }

  async invoke(
    name: string,
    payload: Uint8Array,
    options: InvokeOptions = {},
  ): Promise<InvokeOutcome> {
    const config = this.#manifest.functions[name];
    if (config === undefined) {
      throw new TypeError(`Cannot invoke "${name}": there is no such function`);
    }
    const scope: Scope = {
      functionName: name,
      requestId: options.requestId ?? randomUUID(),
      tail: new LogTail(),
      log: this.#options.log,
      isOver: false,
    };
    const end = (
      failure: InvokeOutcome["failure"],
      result: Uint8Array | string,
    ): InvokeOutcome => ({
      requestId: scope.requestId,
      payload: Buffer.from(result as string),
      failure,
      logTail: scope.tail.toString(),
    });

    const deadline = Date.now() + config.timeout * 1_000;
    const { promise: timeout, resolve } = Promise.withResolvers<"timeout">();
    const timer = setTimeout(resolve, config.timeout * 1_000, "timeout");
    try {
      const context = contextOf(name, config, scope.requestId, deadline, options);
      const result = await Promise.race([
        scopes.run(scope, () => this.#run(config, payload, context, options.stream)),
        timeout.then(() => undefined),
      ]);
      if (result === undefined) {
        const seconds = config.timeout.toFixed(2);
        const errorMessage =
          `RequestId: ${scope.requestId} Error: Task timed out after ${seconds} seconds`;
        writeRecord(scope, errorMessage);
        return end("timeout", JSON.stringify({ errorType: "Sandbox.Timedout", errorMessage }));
      }
      if (result.length > MAX_RESULT) {
        const errorMessage =
          `Response payload size exceeded maximum allowed payload size (${MAX_RESULT} bytes).`;
        writeRecord(scope, errorMessage);
        return end(
          "too large",
          JSON.stringify({ errorType: "Function.ResponseSizeTooLarge", errorMessage }),
        );
      }
      return end(undefined, result);
    } catch (error) {
      const body = JSON.stringify(describe(error));
      writeRecord(
        scope,
        `${new Date().toISOString()}\t${scope.requestId}\tERROR\tInvoke Error\t${body}`,
      );
      return end("error", body);
    } finally {
      clearTimeout(timer);
      scope.isOver = true;
    }
  }

  /** Loads the handler and calls it. Returns the result as JSON. */
  async #run(
    config: FunctionManifest,
    payload: Uint8Array,
    context: FnContext,
    stream: InvokeOptions["stream"],
  ): Promise<Uint8Array> {
    const url = pathToFileURL(resolve(this.#options.manifestPath, "..", config.module));
    url.searchParams.set("generation", String(this.#generation));
    const module = await import(url.href);
    const handler = module[config.handler];
    if (typeof handler !== "function") {
      const message =
        `Cannot use the module "${config.module}": it has no function "${config.handler}"`;
      throw Object.assign(new TypeError(message), { name: "Runtime.HandlerNotFound" });
    }
    const event: unknown = JSON.parse(Buffer.from(payload).toString());
    const result = await handler(event, context);
    if (isStreamed(result)) return await sendStream(result, stream);
    return Buffer.from(JSON.stringify(result) ?? "null");
  }
}

/** The context of an invocation. */
function contextOf(
  functionName: string,
  { memory }: FunctionManifest,
  awsRequestId: string,
  deadline: number,
  { clientContext, tenantId }: InvokeOptions,
): FnContext {
  return createContext({
    awsRequestId,
    functionName,
    invokedFunctionArn: functionArn(functionName),
    memoryLimitInMB: String(memory),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: logStreamName("local"),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    ...(clientContext === undefined ? {} : { clientContext: JSON.parse(clientContext) }),
    ...(tenantId === undefined ? {} : { tenantId }),
  });
}

/** Describes an error as the runtimes of AWS Lambda do. Any value may have been thrown. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) {
    return { errorType: typeof error, errorMessage: String(error), stackTrace: [] };
  }
  return {
    errorType: error.name,
    errorMessage: error.message,
    stackTrace: error.stack?.split("\n").slice(1).map((line) => line.trim()) ?? [],
  };
}
