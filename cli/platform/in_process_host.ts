import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FnContext } from "@mate/core/function";
import { createContext } from "@mate/core/testing";
import { functionArn, logStreamName, REGION } from "./arn.ts";
import type { InvokeOptions, InvokeOutcome, LogRecord, ReloadingHost } from "./function_host.ts";
import { MAX_RESULT } from "./limits.ts";
import type { FunctionManifest, Manifest } from "../manifest/manifest.ts";
import { captureConsole, type Scope, scopes, writeRecord } from "./in_process_console.ts";
import { tooLarge } from "./runtime_api/answer.ts";
import { LogTail } from "./sandbox/log_lines.ts";
import { endingError } from "./sandbox/report.ts";

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
    const fail = (
      failure: InvokeOutcome["failure"],
      payload: Uint8Array,
    ): InvokeOutcome => {
      const record = `${new Date().toISOString()}\t${scope.requestId}\tERROR\tInvoke Error\t`;
      writeRecord(scope, record + new TextDecoder().decode(payload));
      const logTail = scope.tail.toString();
      return { requestId: scope.requestId, payload, failure, logTail };
    };
    const deadline = Date.now() + config.timeout * 1_000;
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, config.timeout * 1_000);
    try {
      const context = contextOf(name, config, scope.requestId, deadline, options);
      const result = await Promise.race([
        scopes.run(scope, () => this.#run(config, payload, context, options.stream)),
        timeout,
      ]);
      if (result === undefined) {
        const ending = { kind: "timeout" } as const;
        return fail("timeout", endingError(ending, scope.requestId, config.timeout).body);
      }
      if (result.length > MAX_RESULT) return fail("too large", tooLarge(result.length).body);
      return { requestId: scope.requestId, payload: result, logTail: scope.tail.toString() };
    } catch (error) {
      return fail("error", Buffer.from(JSON.stringify(describe(error))));
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

/** Sets the environment variables that no two functions disagree about. Returns a function that undoes this. */
export function setEnvironment({ functions }: Manifest): () => void {
  const pairs = Object.values(functions).flatMap(({ environment }) => Object.entries(environment));
  const shared = [...Map.groupBy(pairs, ([name]) => name)]
    .flatMap(([name, all]) =>
      all.every(([, value]) => value === all[0]![1]) ? [[name, all[0]![1]]] : []
    );
  const variables: Record<string, string> = {
    AWS_REGION: REGION,
    ...Object.fromEntries(shared),
  };
  const former = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  return () => {
    for (const [name, value] of former) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  };
}

/** The mark of a result that is streamed as an HTTP response; see `httpStream()` of `@mate/core/runtime`. */
const HTTP_STREAM = Symbol.for("@mate/core/http-stream/1");

type Chunks = AsyncIterable<Uint8Array | string>;

/** A result that is streamed as an HTTP response. */
interface HttpStream {
  readonly prelude: unknown;
  readonly body: Chunks;
}

/** Whether a handler's result is streamed. */
export function isStreamed(result: unknown): result is Chunks | HttpStream {
  return typeof result === "object" && result !== null &&
    (Symbol.asyncIterator in result || Object.hasOwn(result, HTTP_STREAM));
}

/**
 * Sends a streamed result as the custom runtime does.
 *
 * @param stream Takes the result as it comes. Without it the result is collected.
 * @returns The collected result; nothing if it went to the stream.
 * @throws {Error} If the result fails. The stream ends with the error as well.
 */
export async function sendStream(
  result: Chunks | HttpStream,
  stream: InvokeOptions["stream"],
): Promise<Uint8Array> {
  const isHttp = Object.hasOwn(result, HTTP_STREAM);
  const type = isHttp
    ? "application/vnd.awslambda.http-integration-response"
    : "application/octet-stream";
  const chunks = (isHttp ? (result as HttpStream).body : result as Chunks)[Symbol.asyncIterator]();
  let next = await chunks.next(); // A failure before the first chunk is an ordinary failure.
  const collected: Uint8Array[] = [];
  const collect = () =>
    new WritableStream<Uint8Array>({ write: (bytes) => void collected.push(bytes) });
  const writer = (stream?.(type) ?? collect()).getWriter();
  try {
    if (isHttp) {
      await writer.write(
        Buffer.from(JSON.stringify((result as HttpStream).prelude) + "\0".repeat(8)),
      );
    }
    for (; !next.done; next = await chunks.next()) {
      await writer.write(Buffer.from(next.value as string));
    }
    await writer.close();
  } catch (error) {
    await chunks.return?.();
    await writer.abort(error).catch(() => {}); // the reader went away
    throw error;
  }
  return Buffer.concat(collected);
}
