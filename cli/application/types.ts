import type {
  BucketCorsSettings,
  BucketTrigger,
  CorsSettings,
  FunctionManifest,
  JwtAuthorizer,
  LogFormat,
  Manifest,
  QueueManifest,
  QueueTrigger,
  RouteTrigger,
  Settings,
  Statement,
  TableTrigger,
  UrlTrigger,
} from "../manifest/types.ts";

/**
 * An application with every name, right and default. It is pure data: the local platform, the bundler and the deployment read
 * it and work out nothing again.
 */
export interface Application {
  /** The name of the application. The names of everything in the account begin with it. */
  readonly name: string;
  /** The stage: the first element of the path of every URL of a REST API. */
  readonly stage: string;
  /** The stage again, if it is not the default stage of the manifest. */
  readonly furtherStage: string | undefined;
  readonly architecture: "x86_64" | "arm64";
  /** Whether AWS X-Ray traces invocations. */
  readonly tracing: boolean;
  /** The name of the layer with Deno and the bootstrap. */
  readonly layer: string;
  /** The log group that reserves the name of the application in an account and region. */
  readonly logGroup: { readonly name: string; readonly arn: string };
  readonly partition: string;
  readonly account: string;
  readonly region: string;
  readonly settings: Settings;
  /** The tags of everything in the account: those of the settings, and those that say whose it is. */
  readonly tags: Readonly<Record<string, string>>;
  /** The module with the description of the HTTP API, relative to the manifest. */
  readonly api: string | undefined;
  readonly secrets: Secrets;
  /** The functions by their names in the manifest, as all maps of resources. */
  readonly functions: Readonly<Record<string, ApplicationFunction>>;
  /** The HTTP gateway; absent without routes. */
  readonly gateway: Gateway | undefined;
  readonly buckets: Readonly<Record<string, Bucket>>;
  readonly topics: Readonly<Record<string, Topic>>;
  readonly queues: Readonly<Record<string, Queue>>;
  readonly tables: Readonly<Record<string, Table>>;
  /** The rules of Amazon EventBridge by their names in the account: schedules in UTC, and event patterns. */
  readonly rules: Readonly<Record<string, Rule>>;
  /** The schedules of Amazon EventBridge Scheduler by their names in the account: those with another time zone. */
  readonly schedules: Readonly<Record<string, Schedule>>;
  /** The role with which Amazon EventBridge Scheduler invokes functions; absent without such schedules. */
  readonly scheduler: Role | undefined;
  /** The types of the records for the domain in its hosted zone. */
  readonly records: readonly "A"[];
  /** The alarms of Amazon CloudWatch by their names in the account. */
  readonly alarms: Readonly<Record<string, Alarm>>;
}

export type { CorsSettings, FunctionManifest, JwtAuthorizer, LogFormat, UrlTrigger };

/** The secrets of an application, which are parameters of AWS Systems Manager. */
export interface Secrets {
  /** The path of the parameters, such as `/shop/prod`. */
  readonly path: string;
  /** The names of the secrets, each with its functions. */
  readonly owners: Readonly<Record<string, readonly string[]>>;
}

/** The resources that functions use or listen to. */
export type Resources = Pick<Application, "buckets" | "topics" | "queues" | "tables">;

/** A role of AWS IAM. */
export interface Role {
  /** The name of the role. IAM has no regions, so the name contains the region. */
  readonly role: string;
  /** All statements of the role's policy. */
  readonly statements: readonly Statement[];
}

type FunctionSettings = Pick<
  FunctionManifest,
  "runtime" | "description" | "memory" | "timeout" | "ephemeralStorage" | "reservedConcurrency"
>;

/** A function with its names, its rights and what invokes it. */
export interface ApplicationFunction extends FunctionSettings, Role {
  readonly name: string;
  readonly arn: string;
  readonly logGroup: string;
  readonly code: FunctionCode;
  /** The handler as the bundle exports it, such as `index.handler`. */
  readonly handler: string;
  /** All variables: those of the manifest, and the names of the resources in `uses`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The function URL. The stack of AWS CloudFormation has a permission that Terraform's provider cannot express. */
  readonly url: UrlTrigger & { readonly stack: string } | undefined;
  /** The names of its schedules, in the order of the manifest: rules of EventBridge, or schedules of its Scheduler. */
  readonly schedules: readonly string[];
}

/** What the bundler and the hosts of functions need of a function. In an account, its bundle has all of this. */
export interface FunctionCode {
  /** The module that exports the handler, relative to the manifest. */
  readonly module: string;
  /** The name of the export that is the handler. */
  readonly export: string;
  /** The npm packages that the bundle leaves out. They are copied beside it. */
  readonly packages: readonly string[];
  /** The variables of the manifest, with their placeholders. */
  readonly environment: Readonly<Record<string, string>>;
  /** The hosts that the manifest permits. `${NAME}` stands for an environment variable. */
  readonly net: readonly string[];
  /** The hosts of the resources in `uses`, of the secrets, and of the services that `statements` allow. */
  readonly hosts: readonly string[];
  /** The variables with the names of the resources in `uses`, such as `BUCKET_UPLOADS`. */
  readonly variables: readonly string[];
  /** The parameters of the secrets by variable, such as `/shop/prod/JWT_SECRET`. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The statements of the manifest. */
  readonly statements: readonly Statement[];
}

/** A rule of Amazon EventBridge. Either `expression` or `pattern` is there. */
export interface Rule {
  readonly function: string;
  readonly bus: string;
  readonly expression: string | undefined;
  readonly pattern: Readonly<Record<string, unknown>> | undefined;
  /** The event that the function gets, as JSON text; by default the event of EventBridge. */
  readonly input: string | undefined;
}

/** A schedule of Amazon EventBridge Scheduler. */
export interface Schedule {
  readonly function: string;
  readonly expression: string;
  readonly timezone: string;
  /** The event that the function gets, as JSON text; by default the event of EventBridge Scheduler. */
  readonly input: string | undefined;
}

/** An alarm that goes off if a metric of Amazon CloudWatch is above zero. */
export interface Alarm {
  readonly description: string;
  readonly namespace: string;
  readonly metric: string;
  readonly statistic: "Sum" | "Maximum";
  readonly dimensions: Readonly<Record<string, string>>;
}

/** A route of the HTTP gateway. The path `$default` has the method `ANY`. */
export interface Route extends Omit<RouteTrigger, "method"> {
  readonly method: string;
  readonly function: string;
}

/** The HTTP gateway: a REST API or an HTTP API. */
export interface Gateway {
  readonly kind: Manifest["gateway"];
  /** The stage of the API. */
  readonly stage: string;
  /** What each path of its own address begins with: `/` and the stage of a REST API, nothing of an HTTP API. */
  readonly prefix: string;
  /** The origin whose pages may read the gateway's own answers; `*` for all. */
  readonly origin: string;
  /** The pages for which the gateway answers preflights; absent if it does not. */
  readonly cors: CorsSettings | undefined;
  /** The paths of a REST API that answer OPTIONS without a function. */
  readonly preflights: readonly string[];
  /** The functions that decide whether a request is allowed, by name. */
  readonly authorizers: Readonly<
    Record<string, Pick<FunctionManifest, "authorizes" | "ttl" | "identity" | "validation">>
  >;
  /** The JWT authorizers of routes, by name. */
  readonly jwtAuthorizers: Readonly<Record<string, JwtAuthorizer>>;
  readonly routes: readonly Route[];
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
  readonly cors: BucketCorsSettings | undefined;
  readonly listeners: readonly (Omit<BucketTrigger, "name"> & {
    readonly function: string;
    readonly id: string;
  })[];
}

/** An Amazon SNS topic. */
export interface Topic extends Guarded {
  readonly listeners: readonly {
    readonly function: string;
    readonly filter: Readonly<Record<string, unknown>> | undefined;
    /** What the filter looks at, as Amazon SNS names it. */
    readonly scope: "MessageAttributes" | "MessageBody";
  }[];
}

/** A queue for messages that could not be processed, or what each queue has in common with it. */
export interface PlainQueue extends Guarded {
  /** The largest message, in bytes. */
  readonly messageSize: number;
  /** How long a message is kept, in seconds. */
  readonly retention: number;
}

/** An Amazon SQS queue. */
export interface Queue extends PlainQueue, Omit<QueueManifest, "retries"> {
  readonly deadLetters: PlainQueue;
  /** How often a message is delivered before it goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
  readonly listeners: readonly (Omit<QueueTrigger, "name"> & { readonly function: string })[];
}

/** A global secondary index of a table. */
export interface GlobalIndex {
  /** The attributes of the key: the partition key, then the sort key. */
  readonly key: readonly string[];
  readonly projection: "ALL" | "KEYS_ONLY" | "INCLUDE";
  /** The attributes in the index besides the keys, if the projection is `INCLUDE`. */
  readonly included: readonly string[] | undefined;
}

/** An Amazon DynamoDB table. It has a stream if functions listen to it. */
export interface Table extends Named {
  /** The attributes of the key: the partition key, then the sort key. */
  readonly key: readonly string[];
  /** The types of the attributes of all keys. */
  readonly attributes: Readonly<Record<string, "S" | "N" | "B">>;
  readonly indexes: Readonly<Record<string, GlobalIndex>>;
  readonly expires: string | undefined;
  readonly listeners: readonly (Omit<TableTrigger, "name"> & {
    readonly function: string;
    /** The queue for changes that failed too often. */
    readonly deadLetters: PlainQueue;
  })[];
}
