/**
 * What the platform answers about traces and data. The paths are relative to its secret path (`platform.controlUrl`), bodies are
 * JSON, times are milliseconds since 1970, and secrets are hidden. An error is `{ "message": "…" }` with a status of 4xx or 5xx.
 *
 * - `GET log`: Server-Sent Events. A record of the log has no event name: `{ time, functionName, text, requestId? }`. `event: span`
 *   is a {@linkcode Span} that is new or has changed. `event: clear` says that all spans before it are gone: each connection
 *   begins with it, and with the newest spans.
 * - `GET spans?trace=ID`: `{ spans: Span[] }` of one trace, or of all: the oldest first. A link may lead to another trace.
 * - `GET spans/ID`: {@linkcode SpanDetail}. 404 says that the span is gone.
 * - `POST spans/ID/again`: sends a request through its gateway again, or an event to its function. The answer comes at once: 202
 *   and `{ traceId }`. 409 says why it cannot be sent again.
 * - `POST spans/ID/test`: saves the event and a test beside the module: 201 and {@linkcode SavedTest}. 409 says why no test can be
 *   made, or which file exists.
 * - `GET traces`: JSON of OTLP (`ExportTraceServiceRequest`); with `?trace=ID`, one trace. `DELETE traces` forgets all: 204.
 * - `GET buckets/NAME?prefix=&after=`: {@linkcode ObjectList}.
 * - `GET tables/NAME?key=&sort=&index=&after=`: {@linkcode ItemList}. With `key`, only the items with this value of the partition
 *   key, and with `sort`, with this value of the sort key.
 * - `GET queues/NAME`: {@linkcode QueueContent}. `DELETE queues/NAME/ID` deletes a message: 204.
 * - `GET dead-letters`: `{ deadLetters: DeadLetter[] }` ({@linkcode DeadLetter}). `POST dead-letters/ID/redrive` and
 *   `DELETE dead-letters/ID`: 204.
 *
 * A request to `topics`, `queues`, `events`, `buckets`, `tables`, `schedules`, `requests` or the Invoke API may have the header
 * field `X-Amzn-Trace-Id: Root=1-{8 digits}-{24 digits}`, so that the caller knows the trace that it begins.
 *
 * @module
 */
import type { Span, SpanError, SpanLine } from "./span.ts";

/** A span with everything that is kept of it. */
export interface SpanDetail extends Span {
  readonly log: readonly SpanLine[];
  /** The event of an invocation, the body of a call, or the request as text. It is absent if it is unknown. */
  readonly event?: Payload | undefined;
  /** The result of an invocation, or the body of an answer. */
  readonly result?: Payload | undefined;
  /** For each action `true`, or the reason why it cannot be done. */
  readonly actions: { readonly again: true | string; readonly test: true | string };
}

/** What went into a span, or came out of it. */
export interface Payload {
  /** The text, or base64. */
  readonly text: string;
  readonly isBase64: boolean;
  /** The number of bytes. */
  readonly size: number;
  /** Whether only the beginning is kept. */
  readonly isCut: boolean;
}

export interface SavedTest {
  /** The paths, relative to the folder of the manifest: the test first. */
  readonly files: readonly string[];
  /** The command that runs the test. */
  readonly command: string;
  /** What the developer has to know, such as the names of the inputs with hidden values. */
  readonly notes: readonly string[];
}

export interface ObjectList {
  readonly objects: readonly {
    readonly key: string;
    readonly size: number;
    readonly etag: string;
    readonly modified: number;
  }[];
  /** The value of `after` for the rest. */
  readonly next?: string | undefined;
}

export interface ItemList {
  readonly items: readonly {
    /** The key, as `DELETE tables/NAME` takes it. */
    readonly key: Readonly<Record<string, unknown>>;
    /** The item as plain JSON. */
    readonly text: string;
  }[];
  /** The value of `after` for the rest. */
  readonly next?: string | undefined;
}

/** A message of a queue. */
export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  /** The message attributes, as Amazon SQS writes them. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The group in a FIFO queue. */
  readonly group?: string | undefined;
  readonly sent: number;
  /** When a receiver can get the message. */
  readonly visible: number;
  readonly receiveCount: number;
  readonly traceId?: string | undefined;
}

export interface QueueContent {
  /** The numbers of messages: those that a receiver can get, those in flight or to be retried, and those with a delay. */
  readonly visible: number;
  readonly invisible: number;
  readonly delayed: number;
  /** The number of dead letters of the queue. */
  readonly deadLetters: number;
  /** The first 50 messages. */
  readonly messages: readonly QueueMessage[];
}

export interface DeadLetter extends QueueMessage {
  /** The queue or the table of the manifest that it comes from, and the function that failed. */
  readonly of: {
    readonly type: "queue" | "table";
    readonly name: string;
    readonly function?: string;
  };
  /** The error of the last attempt, if it is known. */
  readonly reason?: SpanError | undefined;
  /** The span of the last attempt, if it is known. */
  readonly spanId?: string | undefined;
  /** `true`, or the reason why it cannot be delivered again. */
  readonly redrive: true | string;
}
