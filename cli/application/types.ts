import type {
  BucketCorsSettings,
  BucketTrigger,
  FunctionManifest,
  QueueManifest,
  QueueTrigger,
  RouteTrigger,
  Statement,
  TableIndex,
  TableKey,
  TableTrigger,
} from "../manifest/types.ts";

/**
 * An application with every name, right and default. It is pure data: the local platform, the bundler and the deployment read
 * it and work out nothing again.
 */
export interface Application {
  /** The name of the application. The names of everything in the account begin with it. */
  readonly name: string;
  /** The stage: the first element of the path of every URL of the HTTP gateway. */
  readonly stage: string;
  readonly architecture: "x86_64" | "arm64";
  /** Whether AWS X-Ray traces invocations. */
  readonly tracing: boolean;
  /** The name of the layer with Deno and the bootstrap. */
  readonly layer: string;
  /** The log group that reserves the name of the application in an account and region. */
  readonly logGroup: { readonly name: string; readonly arn: string };
  /** The functions by their names in the manifest, as all maps here. */
  readonly functions: Readonly<Record<string, ApplicationFunction>>;
  /** The HTTP gateway; absent without routes. */
  readonly gateway?: Gateway | undefined;
  readonly buckets: Readonly<Record<string, Bucket>>;
  readonly topics: Readonly<Record<string, Topic>>;
  readonly queues: Readonly<Record<string, Queue>>;
  readonly tables: Readonly<Record<string, Table>>;
  /** The role with which Amazon EventBridge Scheduler invokes functions; absent without such schedules. */
  readonly scheduler?: { readonly role: string; readonly statements: readonly Statement[] };
}

type FunctionSettings = Pick<
  FunctionManifest,
  "description" | "memory" | "timeout" | "reservedConcurrency"
>;

/** A function with its names, its rights and what invokes it. */
export interface ApplicationFunction extends FunctionSettings {
  readonly name: string;
  readonly arn: string;
  /** The name of the role. IAM has no regions, so the name contains the region. */
  readonly role: string;
  readonly logGroup: string;
  /** The handler as the bundle exports it, such as `index.handler`. */
  readonly handler: string;
  /** All variables: those of the manifest, and the names of the resources in `uses`. */
  readonly environment: Readonly<Record<string, string>>;
  /** All statements of the role's policy: what the service needs, what `uses` and `triggers` grant, and `statements`. */
  readonly statements: readonly Statement[];
  readonly triggers: {
    readonly url?: FunctionManifest["triggers"]["url"];
    /** The rules of Amazon EventBridge: schedules in UTC, and event patterns. */
    readonly rules: readonly Rule[];
    /** The schedules of Amazon EventBridge Scheduler: those with another time zone. */
    readonly schedules: readonly Schedule[];
  };
}

/** A rule of Amazon EventBridge. Either `expression` or `pattern` is there. */
export interface Rule {
  readonly name: string;
  readonly bus: string;
  readonly expression?: string;
  readonly pattern?: Readonly<Record<string, unknown>>;
  /** The event that the function gets, as JSON text; by default the event of EventBridge. */
  readonly input?: string;
}

/** A schedule of Amazon EventBridge Scheduler. */
export interface Schedule {
  readonly name: string;
  readonly expression: string;
  readonly timezone: string;
  /** The event that the function gets, as JSON text; by default the event of EventBridge Scheduler. */
  readonly input?: string;
}

/** The HTTP gateway: a REST API. */
export interface Gateway {
  readonly name: string;
  /** The origin whose pages may read the gateway's own answers; `*` for all. */
  readonly origin: string;
  readonly routes: readonly (RouteTrigger & { readonly function: string })[];
}

/** A part of the application that other services call by its ARN. */
interface Named {
  readonly name: string;
  readonly arn: string;
}

/** The statements of the policy of a resource. */
export type ResourceStatement = Statement & { readonly Principal: "*" };

interface Guarded extends Named {
  /** The policy of the resource: it refuses requests without TLS. */
  readonly policy: readonly ResourceStatement[];
}

/** An Amazon S3 bucket. */
export interface Bucket extends Guarded {
  readonly cors?: BucketCorsSettings | undefined;
  readonly listeners: readonly (Omit<BucketTrigger, "name"> & { readonly function: string })[];
}

/** An Amazon SNS topic. */
export interface Topic extends Guarded {
  readonly listeners: readonly {
    readonly function: string;
    readonly filter?: Readonly<Record<string, unknown>> | undefined;
  }[];
}

/** An Amazon SQS queue. */
export interface Queue extends Guarded, Omit<QueueManifest, "retries"> {
  readonly deadLetters: Guarded;
  /** How often a message is delivered before it goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
  readonly listeners: readonly (Omit<QueueTrigger, "name"> & { readonly function: string })[];
}

/** An Amazon DynamoDB table. It has a stream if functions listen to it. */
export interface Table extends Named {
  readonly key: TableKey;
  readonly indexes: Readonly<Record<string, TableIndex>>;
  readonly expires?: string | undefined;
  readonly listeners: readonly (Omit<TableTrigger, "name"> & {
    readonly function: string;
    /** The queue for changes that failed too often. */
    readonly deadLetters: Guarded;
  })[];
}
