/** What a span records: a request of a client, an invocation of a function, or a call of a service. */
export type SpanType = "request" | "invocation" | "call";

/** A span of OpenTelemetry, without its payloads and its log. Names are those of the manifest: `uploads/x.csv`. */
export interface Span {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** The 32 hexadecimal digits of `Root` in the trace header. */
  readonly traceId: string;
  /**
   * The span that caused this one. It may be unknown. A trace may have several spans without a known parent, such as two
   * functions that listen to one bucket.
   */
  readonly parent?: string | undefined;
  /** Further causes: those of a batch, and of the changes of a table. The span also belongs to their trees, below these spans. */
  readonly links: readonly SpanLink[];
  /** What the span records. */
  readonly type: SpanType;
  /** The kind of OpenTelemetry. */
  readonly kind: "server" | "client" | "producer" | "consumer";
  /** The name for a reader, such as `POST /v1/orders`, `importer` or `PutObject uploads/x.csv`. */
  readonly name: string;
  /** The begin, in milliseconds since 1970, with a fraction. */
  readonly start: number;
  /** The end. A span that runs has none. */
  readonly end?: number | undefined;
  /**
   * `refused` is an answer that the caller may expect: a 4xx of a route, or a 400 or a 404 of a service. `failed` is a 5xx, a
   * denied right, a failure, or a batch of which records failed.
   */
  readonly status: "running" | "ok" | "refused" | "failed";
  /** Why the span failed or was refused. */
  readonly error?: SpanError | undefined;
  /** What is known of the span. */
  readonly attributes: Readonly<Attributes>;
}

/** A span that is a cause beside the parent. */
export interface SpanLink {
  /** The trace of the span. */
  readonly traceId: string;
  /** The span. */
  readonly spanId: string;
}

/** Why a span failed or was refused. */
export interface SpanError {
  /** The type, such as `TypeError`, `Sandbox.Timedout`, `AccessDenied` or `503`. */
  readonly type: string;
  /** The message. */
  readonly message: string;
  /** The frames, the innermost first, such as `at handler (api.ts:3:9)`. */
  readonly stack?: readonly string[] | undefined;
}

/** The attributes, with the names of the semantic conventions of OpenTelemetry if there are such names. */
export interface Attributes {
  /** The method of a request. */
  "http.request.method"?: string;
  /** The path of a request, with the stage. */
  "url.path"?: string;
  /** Without the question mark. */
  "url.query"?: string;
  /** The host of a request. */
  "server.address"?: string;
  /** The address of the client of a request. */
  "client.address"?: string;
  /** The status of the answer to a request or a call. */
  "http.response.status_code"?: number;
  /** What answers a request. */
  "mate.gateway"?: "rest" | "http" | "url";
  /** The function: of a function URL, of an invocation, or the caller of a service. */
  "faas.name"?: string;
  /** The request identifier. All attempts of an event have the same one. */
  "faas.invocation_id"?: string;
  /** The kind of trigger, as OpenTelemetry names it. */
  "faas.trigger"?: "http" | "pubsub" | "datasource" | "timer" | "other";
  /** Whether the invocation has waited for an init phase. */
  "faas.coldstart"?: boolean;
  /** `route`, `url`, `authorizer`, `schedule`, `events`, `bucket`, `topic`, `queue`, `table` or `invoke`. */
  "mate.trigger.type"?: string;
  /** Such as `jobs`, `uploads/x.csv`, `GET /orders/{id}`, `rate(1 day)` or `ORDER_PLACED of shop`. */
  "mate.trigger.name"?: string;
  /** The milliseconds from the start until a sandbox was free. Then comes the init phase, then the run. */
  "mate.queue_time"?: number;
  /** The milliseconds of the init phase. An invocation without it is warm. */
  "mate.init_duration"?: number;
  /** The milliseconds of the run. */
  "mate.duration"?: number;
  /** The largest use of memory, in bytes. */
  "mate.memory"?: number;
  /** The number of this attempt: 1 for the first. */
  "mate.attempt"?: number;
  /** The number of the last attempt. */
  "mate.attempts"?: number;
  /** How many events or records come again. */
  "mate.retried"?: number;
  /** How many events or records go to the dead letters. */
  "mate.dead_letters"?: number;
  /** How many events are given up. */
  "mate.dropped"?: number;
  /** The number of the records of a batch. */
  "messaging.batch.message_count"?: number;
  /** The identifiers of the records of a batch. */
  "mate.messages"?: readonly string[];
  /** `aws-api`. */
  "rpc.system"?: string;
  /** The service, such as `S3`. */
  "rpc.service"?: string;
  /** The operation, such as `PutObject`. */
  "rpc.method"?: string;
  /** What the call is about. */
  "mate.resource.type"?: "bucket" | "topic" | "queue" | "table" | "bus" | "function";
  /** Such as `uploads/x.csv` or `jobs`. */
  "mate.resource.name"?: string;
  /** The action that the function may not do, such as `s3:PutObject`. */
  "mate.denied"?: string;
  /** The type of the error. */
  "error.type"?: string;
}

/** A line of the log of an invocation. */
export interface SpanLine {
  /** The time, in milliseconds since 1970. */
  readonly time: number;
  readonly text: string;
}
