import type { FnContext, FnHandler } from "@mate/core/function";
import { run } from "@mate/core/runtime";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Application, ApplicationFunction } from "../application/types.ts";
import { logStreamName, REGION } from "../rules/arn.ts";
import type {
  ApplicationHost,
  InvokeOptions,
  InvokeOutcome,
  LogRecord,
  Payload,
} from "../lambda/function_host.ts";
import { captureConsole, type Scope, scopes, writeRecord } from "./in_process_console.ts";
import type { ErrorAnswer } from "../lambda/runtime_api/invocation.ts";
import { RuntimeApi } from "../lambda/runtime_api/runtime_api.ts";
import { LogTail } from "../lambda/sandbox/log_lines.ts";
import { endingError } from "../lambda/sandbox/invocation_log.ts";

interface HostOptions {
  readonly application: Application;
  /** The path of the manifest. Modules are relative to it. */
  readonly manifestPath: string;
  /** Takes every record of the functions. */
  readonly log: (record: LogRecord) => void;
}

/**
 * A host that runs the functions in this process. A variable is set only if all functions with this variable have the same
 * value.
 */
export class InProcessHost implements ApplicationHost {
  readonly #options: HostOptions;
  #application: Application;
  readonly #restoreConsole: () => void;
  #generation = 0;
  #restoreEnvironment: () => void;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#application = options.application;
    this.#restoreConsole = captureConsole();
    this.#restoreEnvironment = setEnvironment(options.application);
  }

  async reload(
    application: Application = this.#application,
    onReady?: () => Promise<void>,
  ): Promise<readonly string[]> {
    await onReady?.();
    this.#application = application;
    this.#generation++;
    this.#restoreEnvironment();
    this.#restoreEnvironment = setEnvironment(application);
    return Object.keys(application.functions); // Any of them may have changed.
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
    const config = this.#application.functions[name];
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
        return await handler(input, { ...context, ...factsOf(config) });
      };
      // The loop ends with an error when the Runtime API ends.
      scopes.run(scope, () => run(handle, { api: api.address })).catch(() => {});
      const deadline = Date.now() + milliseconds;
      const { answered, finished } = api.invoke({
        ...options,
        requestId,
        functionName: config.name,
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

  async #load({ code: { module, export: handler } }: ApplicationFunction): Promise<FnHandler> {
    const url = pathToFileURL(resolve(this.#options.manifestPath, "..", module));
    url.searchParams.set("generation", String(this.#generation));
    const found = (await import(url.href))[handler];
    if (typeof found === "function") return found;
    const message = `Cannot use the module "${module}": it has no function "${handler}"`;
    throw Object.assign(new TypeError(message), { name: "Runtime.HandlerNotFound" });
  }
}

/** Makes the members of a context that the runtime reads from the environment. */
function factsOf({ name, memory, logGroup }: ApplicationFunction): Partial<FnContext> {
  return {
    functionName: name,
    functionVersion: "$LATEST",
    memoryLimitInMB: String(memory),
    logGroupName: logGroup,
    logStreamName: logStreamName("local"),
  };
}

/** Sets the environment variables that have the same value in all functions. Returns a function that undoes this. */
export function setEnvironment({ functions }: Pick<Application, "functions">): () => void {
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
