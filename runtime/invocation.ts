import type { FnContext, FnHandler } from "../function/context.ts";
import { logger } from "../logger/mod.ts";
import type { Next, RuntimeClient } from "./client.ts";
import { describeFailure, type Failure, RuntimeFailure } from "./failure.ts";
import type { Host } from "./host.ts";
import {
  type HttpPrelude,
  isHttpStream,
  isStream,
  type StreamBody,
  type StreamChunk,
} from "./http_stream.ts";

const ENCODER = new TextEncoder();
// A byte order mark is not JSON (RFC 8259 §8.1).
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The separator between the prelude of an HTTP response and its body. */
const SEPARATOR = "\0".repeat(8);

/** One invocation, from its arrival to the answer. */
export class Invocation {
  /** Resolves when the answer is sent. Rejects if the Runtime API asks the process to end. */
  readonly finished: Promise<void>;

  #client: RuntimeClient;
  #id: string;
  #reject: ((error: unknown) => void) | undefined;
  #aborted: { readonly error: unknown } | undefined;

  constructor(client: RuntimeClient, next: Next, handler: FnHandler, makeContext: ContextMaker) {
    this.#client = client;
    this.#id = next.id;
    this.finished = this.#answer(next, handler, makeContext);
  }

  /** Ends the wait for the handler or its stream with an error, which the caller has logged. */
  abort(error: unknown): void {
    this.#aborted ??= { error };
    this.#reject?.(error);
  }

  async #answer(next: Next, handler: FnHandler, makeContext: ContextMaker): Promise<void> {
    let send: () => Promise<void>;
    try {
      const event = parseEvent(next.event);
      const value = await this.#wait(handler(event, makeContext(next)));
      if (isHttpStream(value)) send = await this.#openStream(value.body, value.prelude);
      else if (isStream(value)) send = await this.#openStream(value);
      else {
        const json = toJson(value);
        send = () => this.#client.respond(this.#id, json);
      }
    } catch (error) {
      return await this.#client.fail(this.#id, this.#describe(error));
    }
    await send(); // no failure may be reported once the answer is on its way
  }

  /**
   * Pulls the first chunk of a stream. A stream that fails before this chunk is an ordinary failure.
   *
   * @returns A function that sends the stream.
   */
  async #openStream(body: StreamBody, prelude?: HttpPrelude): Promise<() => Promise<void>> {
    const start = prelude && ENCODER.encode(JSON.stringify(prelude) + SEPARATOR);
    const source = (body as AsyncIterable<StreamChunk>)[Symbol.asyncIterator]();
    let isDone = false;
    const pull = async (): Promise<Uint8Array | undefined> => {
      const { done, value } = await this.#wait(source.next());
      if (done) isDone = true;
      return done ? undefined : toBytes(value);
    };
    let chunk: Uint8Array | undefined;
    try {
      chunk = await pull();
    } catch (error) {
      void close(source);
      throw error;
    }
    const type = prelude
      ? "application/vnd.awslambda.http-integration-response"
      : "application/octet-stream";
    return async () => {
      try {
        await this.#client.stream(this.#id, type, async (send, answered) => {
          answered.then(() => this.abort("the platform answered before the end of the stream"));
          if (start) await send(start);
          try {
            for (; chunk; chunk = await pull()) await send(chunk);
          } catch (error) {
            return this.#describe(error);
          }
        });
      } finally {
        if (!isDone) void close(source);
      }
    };
  }

  /** Waits for the handler's code. An abort ends the wait. */
  #wait<T>(value: T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#aborted) return reject(this.#aborted.error);
      this.#reject = reject;
      Promise.resolve(value).then(resolve, reject);
    });
  }

  /** Describes an error for the report, and logs the error if it is not logged yet. */
  #describe(error: unknown): Failure {
    if (!this.#aborted) logger.error("The invocation failed", error);
    return describeFailure(error);
  }
}

/** Tells the source of a stream that no chunk is wanted any more. An error of the source has no consequence then. */
async function close(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.();
  } catch {
    // The stream is over in any case.
  }
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === "string") return ENCODER.encode(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  const got = chunk === null ? "null" : Array.isArray(chunk) ? "an array" : typeof chunk;
  throw new TypeError(`Invalid chunk of a stream: expected a string or a Uint8Array, got ${got}`);
}

function parseEvent(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(DECODER.decode(bytes));
  } catch (error) {
    const { message } = error as Error;
    throw new RuntimeFailure("Runtime.UnmarshalError", `Cannot read the event: ${message}`);
  }
}

function toJson(value: unknown): string {
  if (value === undefined) return "null";
  let json: string | undefined;
  let problem = `JSON cannot carry a ${typeof value}`;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    problem = describeFailure(error).errorMessage;
  }
  if (json !== undefined) return json;
  throw new RuntimeFailure(
    "Runtime.MarshalError",
    `Cannot send the result of the handler: ${problem}`,
  );
}

/** Makes the context of one invocation. */
export type ContextMaker = (next: Next) => FnContext;

/** Reads the variables that all contexts show. Any variable and any header field may be absent. */
export function contextMaker({ getEnv }: Host): ContextMaker {
  const shared = {
    functionName: getEnv("AWS_LAMBDA_FUNCTION_NAME") ?? "",
    functionVersion: getEnv("AWS_LAMBDA_FUNCTION_VERSION") ?? "",
    memoryLimitInMB: getEnv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE") ?? "",
    logGroupName: getEnv("AWS_LAMBDA_LOG_GROUP_NAME") ?? "",
    logStreamName: getEnv("AWS_LAMBDA_LOG_STREAM_NAME") ?? "",
  };
  return ({ id, fields }) => {
    const deadline = Number(fields.get("lambda-runtime-deadline-ms") || Infinity);
    return {
      ...shared,
      awsRequestId: id,
      invokedFunctionArn: fields.get("lambda-runtime-invoked-function-arn") ?? "",
      clientContext: readJson(fields, "lambda-runtime-client-context"),
      identity: readJson(fields, "lambda-runtime-cognito-identity"),
      tenantId: fields.get("lambda-runtime-aws-tenant-id"),
      getRemainingTimeInMillis: () => Math.max(deadline - Date.now(), 0),
    };
  };
}

function readJson<T>(fields: ReadonlyMap<string, string>, name: string): T | undefined {
  try {
    return JSON.parse(fields.get(name) || "null") ?? undefined;
  } catch (error) {
    const { message } = error as Error;
    throw new RuntimeFailure("Runtime.UnmarshalError", `Invalid header "${name}": ${message}`);
  }
}
