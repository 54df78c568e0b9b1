import type { FnHandler } from "../function/context.ts";
import { logger } from "../logger/mod.ts";
import type { Next, RuntimeClient } from "./client.ts";
import { makeContext, type Surroundings } from "./context.ts";
import { describeFailure, RuntimeFailure } from "./failure.ts";
import { sendStream, type Streaming } from "./send_stream.ts";
import { type HttpPrelude, isHttpStream, isStream, type StreamBody } from "./http_stream.ts";

// A byte order mark is no JSON (RFC 8259 §8.1), and bytes that are no UTF-8 are no text.
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** One invocation, from its arrival to the answer. */
export class Invocation implements Streaming {
  /** Resolves when the answer is sent; rejects where the Runtime API wants the process to end. */
  readonly finished: Promise<void>;

  #client: RuntimeClient;
  #next: Next;
  #abort: ((error: unknown) => void) | undefined;
  #aborted: { readonly error: unknown } | undefined;

  constructor(client: RuntimeClient, next: Next, handler: FnHandler, surroundings: Surroundings) {
    this.#client = client;
    this.#next = next;
    this.finished = this.#answer(handler, surroundings);
  }

  /** Makes it fail with an error, unless it is being answered already. */
  abort(error: unknown): void {
    this.#aborted ??= { error };
    this.#abort?.(error);
  }

  /** Waits for what the handler's code does; an abort ends the wait. */
  wait<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#aborted) return reject(this.#aborted.error);
      this.#abort = reject;
      promise.then(resolve, reject);
    });
  }

  /** Logs what went wrong, unless whoever aborted did. */
  log(error: unknown): void {
    if (!this.#aborted) logger.error("The invocation failed", error);
  }

  async #answer(handler: FnHandler, surroundings: Surroundings): Promise<void> {
    const { id } = this.#next;
    let stream: { body: StreamBody; prelude?: HttpPrelude } | undefined;
    let json = "";
    try {
      const event = parseEvent(this.#next.event);
      const context = makeContext(id, this.#next.fields, surroundings);
      // What is no promise costs no turn of the event loop.
      const result = handler(event, context);
      const value = isThenable(result) ? await this.wait(result) : result;
      if (isHttpStream(value)) stream = value;
      else if (isStream(value)) stream = { body: value };
      else json = toJson(value);
    } catch (error) {
      return await this.fail(error);
    }
    // No failure may follow an answer, so what sending it comes to passes through.
    if (stream) await sendStream(this, this.#client, id, stream.body, stream.prelude);
    else await this.#client.respond(id, json);
  }

  /** Answers with an error. */
  async fail(error: unknown): Promise<void> {
    this.log(error);
    await this.#client.fail(this.#next.id, describeFailure(error));
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (typeof value === "object" && value !== null || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function";
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
  let problem = `a ${typeof value} has no JSON`;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    problem = describeFailure(error).errorMessage;
  }
  if (json !== undefined) return json;
  throw new RuntimeFailure(
    "Runtime.MarshalError",
    `Cannot send what the handler returned: ${problem}`,
  );
}
