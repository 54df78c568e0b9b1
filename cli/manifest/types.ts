/** The checked manifest of an application, with all defaults. `docs/manifest.md` describes every key. */
export interface Manifest {
  readonly name: string;
  readonly stage: string;
  readonly region?: string | undefined;
  readonly architecture: "x86_64" | "arm64";
  readonly tracing: boolean;
  readonly cors?: { readonly origin: string } | undefined;
  readonly state?: string | undefined;
  readonly functions: Readonly<Record<string, FunctionManifest>>;
  readonly queues: Readonly<Record<string, QueueManifest>>;
}

/** One function of an application. */
export interface FunctionManifest {
  readonly module: string;
  readonly handler: string;
  readonly description: string;
  readonly memory: number;
  readonly timeout: number;
  readonly reservedConcurrency?: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly permissions: { readonly net: readonly string[] };
  readonly triggers: Triggers;
  readonly uses: Uses;
  readonly statements: readonly Statement[];
}

/** Everything that invokes a function. */
export interface Triggers {
  readonly routes: readonly RouteTrigger[];
  readonly url?: UrlTrigger | undefined;
  readonly schedules: readonly ScheduleTrigger[];
  readonly events: readonly EventTrigger[];
  readonly buckets: readonly BucketTrigger[];
  readonly topics: readonly TopicTrigger[];
  readonly queues: readonly QueueTrigger[];
}

/** A route of the HTTP gateway. */
export interface RouteTrigger {
  readonly method: string;
  readonly path: string;
  readonly authorizer?: string | undefined;
  readonly stream: boolean;
}

/** A function URL. */
export interface UrlTrigger {
  readonly auth: "none" | "iam";
  readonly stream: boolean;
  readonly cors?: CorsSettings | undefined;
}

/** The pages of other origins that may call a function URL. */
export interface CorsSettings {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly credentials: boolean;
  readonly maxAge: number;
}

/** A schedule of Amazon EventBridge that invokes a function. */
export interface ScheduleTrigger {
  readonly expression: string;
  readonly timezone: string;
  readonly input?: unknown;
}

/** The events of an event bus of Amazon EventBridge that invoke a function. */
export interface EventTrigger {
  readonly pattern: Readonly<Record<string, unknown>>;
  readonly bus: string;
}

/** An Amazon S3 bucket whose notifications invoke a function. */
export interface BucketTrigger {
  readonly name: string;
  readonly events: readonly string[];
  readonly prefix: string;
  readonly suffix: string;
}

/** An Amazon SNS topic whose messages invoke a function. */
export interface TopicTrigger {
  readonly name: string;
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
}

/** An Amazon SQS queue whose messages invoke a function. */
export interface QueueTrigger {
  readonly name: string;
  readonly batch: number;
  readonly window: number;
  readonly concurrency?: number | undefined;
}

/** The resources of the application that a function works with, by name. */
export interface Uses {
  readonly buckets: Readonly<Record<string, "read" | "write" | "read-write">>;
  readonly topics: Readonly<Record<string, "publish">>;
  readonly queues: Readonly<Record<string, "send">>;
}

/** A statement of an IAM policy. */
export interface Statement {
  readonly Sid?: string | undefined;
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, unknown>> | undefined;
}

/** An Amazon SQS queue. It has a dead-letter queue of its own. */
export interface QueueManifest {
  readonly fifo: boolean;
  readonly retries: number;
  readonly visibility: number;
}
