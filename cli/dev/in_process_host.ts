import type { FnContext, FnHandler } from "@mate/core/function";
import { run } from "@mate/core/runtime";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { FunctionManifest, Manifest } from "../manifest/manifest.ts";
import { functionName, logStreamName, REGION } from "../rules/arn.ts";
import type {
  InvokeOptions,
  InvokeOutcome,
  LogRecord,
  Payload,
  ReloadingHost,
} from "../lambda/function_host.ts";
import { captureConsole, type Scope, scopes, writeRecord } from "./in_process_console.ts";
import type { ErrorAnswer } from "../lambda/runtime_api/invocation.ts";
import { RuntimeApi } from "../lambda/runtime_api/runtime_api.ts";
import { LogTail } from "../lambda/sandbox/log_lines.ts";
import { endingError } from "../lambda/sandbox/invocation_log.ts";

/** The options of {@linkcode createInProcessHost}. */
export interface InProcessHostOptions {
  /** The application. */
  readonly manifest: Manifest;
  /** The path of the manifest. Modules are relative to it. */
  readonly manifestPath: string;
  /** Takes every record of the functions. */
  readonly log: (record: LogRecord) => void;
}

/**
 * Makes a host that runs the functions in this process, so that a debugger stops at their breakpoints. The console output
 * of a function goes to the log.
 *
 * The functions share the environment, the memory and the permissions of the process. `memory` and `permissions` of the
 * manifest have no effect. A variable of `environment` is set only if all functions with this variable have the same value.
 * An endless loop in a function stops everything. A reload loads the modules of the handlers again, but not the modules that
 * they import.
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

  async reload(
    manifest: Manifest = this.#manifest,
    onReady?: () => Promise<void>,
  ): Promise<readonly string[]> {
    await onReady?.();
    this.#manifest = manifest;
    this.#generation++;
    this.#restoreEnvironment();
    this.#restoreEnvironment = setEnvironment(manifest);
    return Object.keys(manifest.functions); // Any of them may have changed.
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#restoreConsole();
    this.#restoreEnvironment();
    return Promise.resolve();
  }

  /** Runs the loop of the runtime with a new Runtime API, for this invocation only. */
  async invoke(
    name: string,
    payload: Payload,
    options: InvokeOptions = {},
  ): Promise<InvokeOutcome> {
    const config = this.#manifest.functions[name];
    if (config === undefined) {
      throw new TypeError(`Cannot invoke "${name}": there is no such function`);
    }
    const event = typeof payload === "function" ? payload() : payload;
    const requestId = options.requestId ?? randomUUID();
    const tail = new LogTail();
    const scope: Scope = {
      functionName: name,
      requestId,
      tail,
      log: this.#options.log,
      isOver: false,
    };
    const milliseconds = config.timeout * 1_000;
    const { promise: timeout, resolve } = Promise.withResolvers<ErrorAnswer>();
    const timer = setTimeout(() => {
      const answer = endingError({ kind: "timeout" }, requestId, config.timeout);
      writeRecord(scope, new TextDecoder().decode(answer.body));
      resolve(answer);
    }, milliseconds);
    try {
      await using api = await RuntimeApi.listen();
      const handle = async (input: unknown, context: FnContext) => {
        const handler = await this.#load(config);
        return await handler(input, {
          ...context,
          ...factsOf(functionName(this.#manifest, name), config),
        });
      };
      // The loop ends with an error when the Runtime API ends.
      scopes.run(scope, () => run(handle, { api: api.address })).catch(() => {});
      const deadline = Date.now() + milliseconds;
      const { answered, finished } = api.invoke({
        ...options,
        requestId,
        functionName: functionName(this.#manifest, name),
        payload: event,
        deadline,
      });
      const answer = await Promise.race([answered, timeout]);
      await Promise.race([finished, timeout]); // The last records belong to this invocation.
      const failure = answer.kind === "response"
        ? undefined
        : answer.errorType === "Sandbox.Timedout"
        ? "timeout"
        : answer.kind;
      const isStream = answer.kind === "response" && answer.isStream;
      return { requestId, payload: answer.body, failure, isStream, logTail: tail.toString() };
    } finally {
      clearTimeout(timer);
      scope.isOver = true;
    }
  }

  async #load({ module, handler }: FunctionManifest): Promise<FnHandler> {
    const url = pathToFileURL(resolve(this.#options.manifestPath, "..", module));
    url.searchParams.set("generation", String(this.#generation));
    const found = (await import(url.href))[handler];
    if (typeof found === "function") return found;
    const message = `Cannot use the module "${module}": it has no function "${handler}"`;
    throw Object.assign(new TypeError(message), { name: "Runtime.HandlerNotFound" });
  }
}

/** Makes the members of a context that the runtime reads from the environment. */
function factsOf(functionName: string, { memory }: FunctionManifest): Partial<FnContext> {
  return {
    functionName,
    functionVersion: "$LATEST",
    memoryLimitInMB: String(memory),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: logStreamName("local"),
  };
}

/** Sets the environment variables that have the same value in all functions. Returns a function that undoes this. */
export function setEnvironment({ functions }: Manifest): () => void {
  const pairs = Object.values(functions).flatMap(({ environment }) => Object.entries(environment));
  const variables: Record<string, string> = { AWS_REGION: REGION };
  for (const [name, all] of Map.groupBy(pairs, ([name]) => name)) {
    const [[, first]] = all as [[string, string]];
    if (all.every(([, value]) => value === first)) variables[name] = first;
  }
  const names = [...Object.keys(variables), "_X_AMZN_TRACE_ID"]; // The runtime sets the last one.
  const former = names.map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  return () => {
    for (const [name, value] of former) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  };
}
