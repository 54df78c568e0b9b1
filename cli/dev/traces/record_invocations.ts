import { randomUUID } from "node:crypto";
import type {
  FunctionHost,
  InvocationFacts,
  InvokeOptions,
  InvokeOutcome,
  Rest,
  TriggerType,
} from "../../lambda/function_host.ts";
import { refuseLoop } from "../../lambda/loops.ts";
import { parseObject } from "../../rules/json_object.ts";
import { readTraceHeader, withParent, withRoot } from "../../rules/trace_header.ts";
import type { Attributes, SpanError, SpanLink } from "./span.ts";
import { keep, spanTime, type Traces } from "./traces.ts";

/**
 * The triggers, as the semantic conventions of OpenTelemetry name them.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/faas/faas-spans/#function-trigger-type
 */
const TRIGGERS: Readonly<Record<TriggerType, NonNullable<Attributes["faas.trigger"]>>> = {
  route: "http",
  url: "http",
  authorizer: "http",
  schedule: "timer",
  events: "pubsub",
  bucket: "datasource",
  topic: "pubsub",
  queue: "pubsub",
  table: "datasource",
  invoke: "other",
};

const UNKNOWN: InvocationFacts = { trigger: { type: "invoke", name: "" } };

/** The type of the error if a function has reported records that failed. */
export const PARTIAL = "batchItemFailures";

/** The number of sandboxes whose last invocations are remembered. */
const MOST = 1_000;

/** An invocation that runs, or the last one of its sandbox. */
interface Running {
  readonly spanId: string;
  /** The trace header of the function. */
  readonly header: string;
}

/** A host that records each invocation. It is below the counter of the rounds, because it passes on the whole trace header. */
export class RecordedHost implements FunctionHost {
  readonly timeOf: FunctionHost["timeOf"];
  /** The last invocation of each sandbox, by its session token. */
  readonly #sandboxes = new Map<string, Running>();
  readonly #running = new Map<string, Set<Running>>();

  constructor(private readonly host: FunctionHost, private readonly traces: Traces) {
    this.timeOf = host.timeOf?.bind(host);
  }

  async invoke(...[name, payload, options = {}]: Parameters<FunctionHost["invoke"]>) {
    const asked = spanTime();
    const requestId = options.requestId ?? randomUUID();
    const own: { -readonly [K in keyof InvokeOptions]: InvokeOptions[K] } = {
      ...options,
      requestId,
    };
    let running: Running | undefined;
    let queueTime: number | undefined;
    const begin = (event: Uint8Array) => {
      running = this.#begin({ name, event, asked, requestId }, options);
      own.traceId = running.header;
    };
    own.onSandbox = (token) => {
      queueTime ??= spanTime() - asked;
      this.#remember(token, running!);
      options.onSandbox?.(token);
    };
    if (typeof payload !== "function") begin(payload);
    const take = () => {
      const event = typeof payload === "function" ? payload() : payload;
      if (typeof payload === "function") begin(event);
      queueTime = spanTime() - asked;
      return event;
    };
    try {
      refuseLoop(own.traceId, name);
      const outcome = await this.host.invoke(name, take, own);
      this.#end(running!, options.facts, queueTime, outcome);
      return outcome;
    } catch (error) {
      if (running !== undefined) this.#end(running, options.facts, queueTime, error as Error);
      throw error;
    } finally {
      if (running !== undefined) this.#running.get(name)!.delete(running);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
  }

  /**
   * Returns the trace header of the invocation that calls a service: that of the request if it names an invocation of the
   * function, else that of the sandbox with the session token, else that of the only running invocation.
   */
  callerOf(name: string, token: string, header: string | undefined): string | undefined {
    const { parent = "" } = readTraceHeader(header);
    const attributes = this.traces.find(parent)?.span.attributes;
    if (attributes?.["faas.name"] === name) return header;
    const known = this.#sandboxes.get(token);
    if (known !== undefined) return known.header;
    const all = [...this.#running.get(name) ?? []];
    return all.length === 1 ? all[0]!.header : header;
  }

  #remember(token: string, running: Running): void {
    this.#sandboxes.delete(token);
    this.#sandboxes.set(token, running);
    const [oldest] = this.#sandboxes.keys();
    if (this.#sandboxes.size > MOST) this.#sandboxes.delete(oldest!);
  }

  #begin(
    { name, event, asked, requestId }: {
      readonly name: string;
      readonly event: Uint8Array;
      readonly asked: number;
      readonly requestId: string;
    },
    { traceId: given, facts = UNKNOWN }: InvokeOptions,
  ): Running {
    const { type } = facts.trigger;
    const header = withRoot(given);
    const { traceId, parent } = readTraceHeader(header);
    const trigger = TRIGGERS[type];
    const spanId = this.traces.begin({
      traceId: traceId!,
      parent,
      links: linksOf(facts.causes ?? [], parent),
      type: "invocation",
      kind: trigger === "http" || type === "invoke" ? "server" : "consumer",
      name,
      start: asked,
      attributes: {
        "faas.name": name,
        "faas.invocation_id": requestId,
        "faas.trigger": trigger,
        "mate.trigger.type": type,
        "mate.trigger.name": facts.trigger.name,
        ...facts.attempt && {
          "mate.attempt": facts.attempt.number,
          "mate.attempts": facts.attempt.last,
        },
        ...facts.records && {
          "messaging.batch.message_count": facts.records.length,
          "mate.messages": facts.records,
        },
      },
      event: keep(event),
    });
    const running = { spanId, header: withParent(header, spanId) };
    const all = this.#running.get(name) ?? new Set();
    this.#running.set(name, all.add(running));
    return running;
  }

  #end(
    { spanId }: Running,
    facts: InvocationFacts | undefined,
    queueTime: number | undefined,
    end: InvokeOutcome | Error,
  ): void {
    const outcome = end instanceof Error ? undefined : end;
    const rest = facts?.rest?.(outcome) ?? {};
    const error = end instanceof Error
      ? { type: end.name, message: end.message }
      : failureOf(end) ?? partialFailure(rest, facts);
    this.traces.end(spanId, {
      status: error === undefined ? "ok" : "failed",
      error,
      attributes: {
        ...queueTime !== undefined && { "mate.queue_time": queueTime },
        ...outcome && attributesOf(outcome),
        ...rest.retried && { "mate.retried": rest.retried },
        ...rest.deadLetters && { "mate.dead_letters": rest.deadLetters },
        ...rest.dropped && { "mate.dropped": rest.dropped },
      },
      result: outcome && keep(outcome.payload),
    });
  }
}

/** Returns the spans that are causes beside the parent. */
function linksOf(causes: readonly string[], parent: string | undefined): readonly SpanLink[] {
  const links = causes.map(readTraceHeader).flatMap(({ traceId, parent: spanId }) =>
    traceId === undefined || spanId === undefined || spanId === parent
      ? []
      : [[spanId, { traceId, spanId }] as const]
  );
  return [...new Map(links).values()];
}

function attributesOf({ duration, initDuration, peakMemory }: InvokeOutcome): Attributes {
  return {
    ...duration !== undefined && {
      "mate.duration": duration,
      "faas.coldstart": initDuration !== undefined,
    },
    ...initDuration !== undefined && { "mate.init_duration": initDuration },
    ...peakMemory !== undefined && { "mate.memory": peakMemory },
  };
}

/** Reads the error of a function that has failed. The runtimes of Deno and Node.js name the frames differently. */
function failureOf({ failure, payload }: InvokeOutcome): SpanError | undefined {
  if (failure === undefined) return undefined;
  const result = parseObject(new TextDecoder().decode(payload)) ?? {};
  const { errorType = failure, errorMessage = "", stackTrace, trace } = result;
  const frames = [stackTrace ?? trace ?? []].flat().map((frame) => String(frame).trim());
  const stack = frames.filter((frame) => frame.startsWith("at "));
  return {
    type: String(errorType),
    message: String(errorMessage),
    ...stack.length > 0 && { stack },
  };
}

function partialFailure(
  { retried = 0, deadLetters = 0, dropped = 0 }: Rest,
  facts: InvocationFacts | undefined,
): SpanError | undefined {
  const failed = retried + deadLetters + dropped;
  if (failed === 0) return undefined;
  const all = facts?.records?.length ?? failed;
  return { type: PARTIAL, message: `${failed} of ${all} records failed` };
}
