import type { LogEntry } from "../../lambda/log.ts";
import { createSpanId } from "../../rules/trace_header.ts";
import { Hider } from "./hide.ts";
import type { Attributes, Span, SpanError, SpanLine } from "./span.ts";

/** What is kept of bytes. */
export interface Kept {
  /** All bytes, or the first ones. */
  readonly bytes: Uint8Array;
  /** The number of all bytes. */
  readonly size: number;
}

/** The limits of what is kept. */
export interface TraceLimits {
  /** The most spans. */
  readonly spans: number;
  /** The most bytes of payloads and lines. */
  readonly bytes: number;
}

const LIMITS: TraceLimits = { spans: 10_000, bytes: 32 * 1024 * 1024 };

/** The largest payload that is kept whole, and what is kept of a larger one, in bytes. */
export const MAX_KEPT = 262_144;
export const MAX_CUT = 65_536;

/** The most characters of the lines of one span. The last ones are kept. */
const MAX_LINES = 262_144;

/** What a span takes besides its payloads and lines, in bytes. */
const SPAN_SIZE = 1_000;

/** Returns the time in milliseconds since 1970, with a fraction. */
export function spanTime(): number {
  return performance.timeOrigin + performance.now();
}

/** Keeps the bytes of a payload, or the first ones. */
export function keep(bytes: Uint8Array, size = bytes.length): Kept {
  // A copy, because the bytes may be a part of something larger.
  return { bytes: new Uint8Array(bytes.subarray(0, size > MAX_KEPT ? MAX_CUT : size)), size };
}

/** What is known of a span at its begin. */
export type Beginning =
  & Pick<Span, "traceId" | "type" | "kind" | "name" | "attributes">
  & Partial<Pick<Span, "id" | "parent" | "links" | "start">>
  & { readonly event?: Kept | undefined };

/** What is known of a span at its end. */
export interface Ending {
  readonly status: Exclude<Span["status"], "running">;
  readonly name?: string | undefined;
  readonly error?: SpanError | undefined;
  readonly attributes?: Attributes | undefined;
  readonly event?: Kept | undefined;
  readonly result?: Kept | undefined;
}

/** A span with everything that is kept of it. */
export interface Recording {
  readonly span: Span;
  readonly lines: readonly SpanLine[];
  readonly event: Kept | undefined;
  readonly result: Kept | undefined;
}

interface Entry extends Recording {
  span: Span;
  readonly lines: SpanLine[];
  /** The characters of the lines. */
  length: number;
  event: Kept | undefined;
  result: Kept | undefined;
  /** The bytes that count for the limit. */
  size: number;
}

/** Takes a span that is new or has changed, or learns that all are gone. */
export type TraceFollower = (change: Recording | "clear") => void;

/** The spans of the local platform. The oldest trace goes first. */
export class Traces {
  /** Hides secrets in what leaves the platform. */
  readonly hider: Hider = new Hider();
  readonly #limits: TraceLimits;
  /** The spans by trace, the oldest trace first. */
  readonly #traces = new Map<string, Set<Entry>>();
  readonly #spans = new Map<string, Entry>();
  /** The last attempt of each invocation, by its request identifier. */
  readonly #invocations = new Map<string, Entry>();
  readonly #followers = new Set<TraceFollower>();
  #size = 0;

  constructor(limits: Partial<TraceLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Begins a span. Returns its identifier. */
  begin({ event, ...facts }: Beginning): string {
    const span: Span = {
      id: createSpanId(),
      links: [],
      start: spanTime(),
      status: "running",
      ...facts,
    };
    const entry: Entry = { span, lines: [], length: 0, event, result: undefined, size: 0 };
    this.#spans.set(span.id, entry);
    const trace = this.#traces.get(span.traceId) ?? new Set();
    this.#traces.set(span.traceId, trace.add(entry));
    const requestId = span.attributes["faas.invocation_id"];
    if (requestId !== undefined && span.type === "invocation") {
      this.#invocations.set(requestId, entry);
    }
    this.#measure(entry);
    this.#tell(entry);
    return span.id;
  }

  /** Ends a span. A span that is gone stays so. */
  end(id: string, { attributes, event, result, ...facts }: Ending): void {
    const entry = this.#spans.get(id);
    if (entry === undefined) return;
    const { span } = entry;
    entry.span = {
      ...span,
      ...facts,
      name: facts.name ?? span.name,
      end: spanTime(),
      attributes: {
        ...span.attributes,
        ...attributes,
        ...facts.error && { "error.type": facts.error.type },
      },
    };
    entry.event ??= event;
    entry.result = result;
    this.#measure(entry);
    this.#tell(entry);
  }

  /** Gives a line of the log to its invocation. */
  addLine({ requestId, time, text }: LogEntry): void {
    const entry = requestId === undefined ? undefined : this.#invocations.get(requestId);
    if (entry === undefined) return;
    entry.lines.push({ time: time.getTime(), text });
    entry.length += text.length;
    while (entry.length > MAX_LINES && entry.lines.length > 1) {
      entry.length -= entry.lines.shift()!.text.length;
    }
    this.#measure(entry);
  }

  /** Finds a span. */
  find(id: string): Recording | undefined {
    return this.#spans.get(id);
  }

  /** Finds the last attempt of an invocation. */
  findInvocation(requestId: string): Recording | undefined {
    return this.#invocations.get(requestId);
  }

  /** Lists the spans of one trace, or of all: the oldest trace first. */
  list(traceId?: string): readonly Recording[] {
    const traces = traceId === undefined
      ? [...this.#traces.values()]
      : [this.#traces.get(traceId) ?? []];
    return traces.flatMap((trace) => [...trace]);
  }

  /** Calls a follower with each change. Returns a function that ends the calls. */
  follow(follower: TraceFollower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Forgets all spans. */
  clear(): void {
    for (const map of [this.#traces, this.#spans, this.#invocations]) map.clear();
    this.#size = 0;
    for (const follower of this.#followers) follower("clear");
  }

  #tell(entry: Entry): void {
    for (const follower of this.#followers) follower(entry);
  }

  /** Counts what an entry takes, and forgets the oldest traces. The trace of the entry itself may be one of them. */
  #measure(entry: Entry): void {
    const size = SPAN_SIZE + (entry.event?.bytes.length ?? 0) + (entry.result?.bytes.length ?? 0) +
      2 * entry.length;
    this.#size += size - entry.size;
    entry.size = size;
    while (this.#spans.size > this.#limits.spans || this.#size > this.#limits.bytes) {
      const [[traceId, trace]] = this.#traces as unknown as [[string, Set<Entry>]];
      this.#traces.delete(traceId);
      for (const { span: { id, attributes }, size } of trace) {
        this.#spans.delete(id);
        this.#size -= size;
        const requestId = attributes["faas.invocation_id"] ?? "";
        if (this.#invocations.get(requestId)?.span.id === id) this.#invocations.delete(requestId);
      }
    }
  }
}
