import type { Statement } from "../rules/statement.ts";

export type { Statement };

/** The runtimes of functions: Deno as a custom runtime with a layer, or Node.js as AWS Lambda manages it. */
export type Runtime = "deno" | "nodejs22.x" | "nodejs24.x" | "nodejs26.x";

/** The formats of the functions' logs. */
export type LogFormat = "Text" | "JSON";

/** The checked manifest of one stage of an application, with all defaults. `schema.json` describes every key. */
export interface Manifest {
  /** The name of the application, such as `shop`, or `shop-prod` for a further stage. All names in the account start with it. */
  readonly name: string;
  /** The stage: the first element of the path of every URL of the HTTP gateway. */
  readonly stage: string;
  /** The stage again, if it is not the default stage of the manifest. */
  readonly furtherStage?: string | undefined;
  /** The AWS Region to deploy to; by default the region of the AWS configuration. */
  readonly region?: string | undefined;
  /** The processor of the functions. */
  readonly architecture: "x86_64" | "arm64";
  /** The runtime of the functions that name no other. */
  readonly runtime: Runtime;
  /** Whether AWS X-Ray traces invocations. */
  readonly tracing: boolean;
  /** What serves the routes: a REST API or an HTTP API of Amazon API Gateway. */
  readonly gateway: "rest" | "http";
  /** The JWT authorizers by name. */
  readonly authorizers: Readonly<Record<string, JwtAuthorizer>>;
  /** The pages of other origins that may call the HTTP gateway; by default all may read its own answers, without cookies. */
  readonly cors?: GatewayCors | undefined;
  /** The place of the deployment's state, such as `s3://bucket/key`; by default the folder `.mate/`. */
  readonly state?: string | undefined;
  /** The version of Terraform's provider for AWS, such as `6.73.0`; by default one whose checksums the tool has. */
  readonly provider?: string | undefined;
  /** The module with the description of the HTTP API, relative to the manifest. */
  readonly api?: string | undefined;
  /** The functions by name. */
  readonly functions: Readonly<Record<string, FunctionManifest>>;
  /** The Amazon SQS queues by name. */
  readonly queues: Readonly<Record<string, QueueManifest>>;
  /** The settings of Amazon S3 buckets by name. Functions may use other buckets, too. */
  readonly buckets: Readonly<Record<string, BucketManifest>>;
  /** The Amazon DynamoDB tables by name. */
  readonly tables: Readonly<Record<string, TableManifest>>;
  /** The settings of the deployment. */
  readonly settings: Settings;
}

/** A JWT authorizer of the HTTP gateway. */
export interface JwtAuthorizer {
  /** The issuer, as the claim `iss` of the tokens. */
  readonly issuer: string;
  /** The values of the claim `aud`, or of `client_id`, of which a token needs one. */
  readonly audience: readonly string[];
  /** Where the token is, such as `header.Authorization`. */
  readonly identity: string;
}

/** The pages of other origins that may call the HTTP gateway. */
export interface GatewayCors {
  /** The only origin whose pages may read the own answers of a REST API, also with cookies. */
  readonly origin?: string | undefined;
  /** The origins whose pages may send requests; `*` for any. The other keys count with them. */
  readonly origins?: readonly string[] | undefined;
  /** The methods; all by default. */
  readonly methods?: readonly string[] | undefined;
  /** The request headers; by default `Authorization` and `Content-Type`. */
  readonly headers?: readonly string[] | undefined;
  /** The response headers that pages may read; none by default. */
  readonly exposeHeaders?: readonly string[] | undefined;
  /** Whether pages may send cookies. Then the other lists have no `*`. */
  readonly credentials?: boolean | undefined;
  /** The time that browsers keep the answer of a preflight request, in seconds; 0 by default. */
  readonly maxAge?: number | undefined;
}

/** The settings of the deployment. */
export interface Settings {
  /** The logs in Amazon CloudWatch. */
  readonly logs: {
    /** How many days the logs are kept; 0 for ever. */
    readonly days: number;
    /** The format of the functions' logs. */
    readonly format: LogFormat;
    /** Whether the HTTP gateway logs each request. */
    readonly requests: boolean;
  };
  /** The media types whose bodies the REST API takes and sends as bytes. */
  readonly binaryMediaTypes: readonly string[];
  /** The requests that the HTTP gateway lets through, over all routes. */
  readonly throttle: {
    /** The requests per second: 1 to 10,000. */
    readonly rate: number;
    /** The requests at once: 1 to 5,000. */
    readonly burst: number;
  };
  /** The tags of everything in the account. */
  readonly tags: Readonly<Record<string, string>>;
  /** The domain of the HTTP gateway. */
  readonly domain?: DomainSettings | undefined;
  /** The network of the functions. */
  readonly vpc?: {
    /** The identifiers of the subnets. */
    readonly subnets: readonly string[];
    /** The identifiers of the security groups. */
    readonly securityGroups: readonly string[];
  } | undefined;
  /** The alarms for errors, throttles, dead letters and 5xx. */
  readonly alarms?: {
    /** The ARN of the Amazon SNS topic that gets the alarms. */
    readonly topic: string;
  } | undefined;
}

/** The domain of the HTTP gateway. */
export interface DomainSettings {
  /** The name, such as `shop.example` or `${infra.domain}`. */
  readonly name: string;
  /** The ARN of a certificate of AWS Certificate Manager in the region. */
  readonly certificate: string;
  /** The first element of each path of the domain; none by default. */
  readonly basePath?: string | undefined;
  /** The hosted zone of Amazon Route 53 that gets a record for the domain; none by default. */
  readonly zone?: string | undefined;
}

/** One function of an application. */
export interface FunctionManifest {
  /** The module that exports the handler, relative to the manifest. */
  readonly module: string;
  /** The name of the export that is the handler. */
  readonly handler: string;
  /** The runtime; that of the manifest by default. */
  readonly runtime: Runtime;
  /** A description of up to 256 characters. */
  readonly description: string;
  /** The memory in MiB: 128 to 10,240. */
  readonly memory: number;
  /** The longest time of an invocation in seconds: 1 to 900. */
  readonly timeout: number;
  /** The size of the folder `/tmp` in MiB: 512 to 10,240. */
  readonly ephemeralStorage: number;
  /** The number of concurrent invocations that are reserved for the function. It is also their limit. */
  readonly reservedConcurrency?: number | undefined;
  /** Environment variables. Values may contain placeholders such as `${region}`, `${infra.NAME}`, `${TABLE_ORDERS}` and `${table.orders.arn}`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The secrets that the function gets as environment variables. */
  readonly secrets: readonly string[];
  /** The npm packages that the bundle leaves out. They are copied beside it, with their files and dependencies. */
  readonly packages: readonly string[];
  /** If the function is an authorizer: what it gets and returns. */
  readonly authorizes: "request" | "token" | "simple";
  /** If the function is an authorizer: how long its policy is kept, in seconds: 0 to 3,600. */
  readonly ttl: number;
  /** If the function is an authorizer with a `ttl`: the parts of a request that a kept policy is found by, such as `header.Authorization`. */
  readonly identity: readonly string[];
  /** If the function is an authorizer of tokens: the pattern that a whole token must match. */
  readonly validation?: string | undefined;
  /** The permissions that Deno gives to the function, besides its own files and `/tmp`. */
  readonly permissions: {
    /** The hosts that the function may connect to, such as `api.example.com:443`; `*` for all. */
    readonly net: readonly string[];
  };
  /** Everything that invokes the function. */
  readonly triggers: Triggers;
  /** The resources of the application that the function works with. */
  readonly uses: Uses;
  /** Further statements for the IAM policy of the function's role. */
  readonly statements: readonly Statement[];
}

/** Everything that invokes a function. */
export interface Triggers {
  /** Routes of the HTTP gateway (Amazon API Gateway). */
  readonly routes: readonly RouteTrigger[];
  /** The function URL. */
  readonly url?: UrlTrigger | undefined;
  /** Schedules (Amazon EventBridge). */
  readonly schedules: readonly ScheduleTrigger[];
  /** Events of an event bus (Amazon EventBridge). */
  readonly events: readonly EventTrigger[];
  /** Changes of objects in buckets (Amazon S3). */
  readonly buckets: readonly BucketTrigger[];
  /** Messages of topics (Amazon SNS). */
  readonly topics: readonly TopicTrigger[];
  /** Messages of queues (Amazon SQS). */
  readonly queues: readonly QueueTrigger[];
  /** Changes of tables (Amazon DynamoDB Streams). */
  readonly tables: readonly TableTrigger[];
}

/** A route of the HTTP gateway. */
export interface RouteTrigger {
  /** The method, or `ANY`; absent with `$default`. */
  readonly method?: string | undefined;
  /** The path below the stage, such as `/okay` or `/okay/{proxy+}`, or `$default` of an HTTP API. */
  readonly path: string;
  /** The function or the JWT authorizer of the manifest that decides whether a request is allowed. The `ttl` of a function says whether its answer is kept. */
  readonly authorizer?: string | undefined;
  /** The scopes of which the token of a JWT authorizer needs one; none by default. */
  readonly scopes: readonly string[];
  /** Whether the response is streamed. */
  readonly stream: boolean;
}

/** A function URL. */
export interface UrlTrigger {
  /** Who may call the URL: anyone, or signed requests only. */
  readonly auth: "none" | "iam";
  /** Whether responses are streamed. */
  readonly stream: boolean;
  /** The pages of other origins that may call the URL; none by default. */
  readonly cors?: CorsSettings | undefined;
}

/** The pages of other origins that may send requests to a bucket. */
export interface BucketCorsSettings {
  /** The origins, such as `https://shop.example`; `*` for any. */
  readonly origins: readonly string[];
  /** The methods; `*` for any method of a function URL. */
  readonly methods: readonly string[];
  /** The request headers; `*` for any. */
  readonly headers: readonly string[];
  /** The response headers that pages may read. */
  readonly exposeHeaders: readonly string[];
  /** The time that browsers keep the answer of a preflight request, in seconds: 0 to 86,400. */
  readonly maxAge: number;
}

/** The pages of other origins that may call a function URL. */
export interface CorsSettings extends BucketCorsSettings {
  /** Whether pages may send cookies. Then the other lists have no `*`. */
  readonly credentials: boolean;
}

/** A schedule of Amazon EventBridge that invokes a function. */
export interface ScheduleTrigger {
  /** The time: `rate(5 minutes)` or `cron(0 3 * * ? *)`. */
  readonly expression: string;
  /** The time zone of a `cron` expression, such as `Europe/Paris`. */
  readonly timezone: string;
  /** The event that the function gets; by default the event of EventBridge. */
  readonly input?: unknown;
}

/** The events of an event bus of Amazon EventBridge that invoke a function. */
export interface EventTrigger {
  /** The event pattern of EventBridge. Its texts may contain `${region}`, `${account}` and `${infra.NAME}`. */
  readonly pattern: Readonly<Record<string, unknown>>;
  /** The name of an event bus that exists, or that `infra` makes: `${infra.bus}`. */
  readonly bus: string;
}

/** An Amazon S3 bucket whose notifications invoke a function. */
export interface BucketTrigger {
  /** The name of the bucket within the application. */
  readonly name: string;
  /** The types of events, such as `s3:ObjectCreated:*`. */
  readonly events: readonly string[];
  /** The start of the object keys. */
  readonly prefix: string;
  /** The end of the object keys. */
  readonly suffix: string;
}

/** An Amazon SNS topic whose messages invoke a function. */
export interface TopicTrigger {
  /** The name of the topic within the application. */
  readonly name: string;
  /** The filter policy of the subscription; every message by default. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  /** What the filter looks at: the message attributes by default, or the body, which must be a JSON object then. */
  readonly filterScope: "attributes" | "body";
}

/** An Amazon SQS queue whose messages invoke a function. */
export interface QueueTrigger {
  /** The name of the queue in the manifest's `queues`. */
  readonly name: string;
  /** The most messages of an event: 1 to 10,000. */
  readonly batch: number;
  /** The time to collect messages for an event, in seconds: 0 to 300. */
  readonly window: number;
  /** The most invocations at a time: 2 to 1,000; no limit by default. */
  readonly concurrency?: number | undefined;
}

/** An Amazon DynamoDB table whose changes invoke a function, in order. */
export interface TableTrigger {
  /** The name of the table in the manifest's `tables`. */
  readonly name: string;
  /** The most changes of an event: 1 to 10,000. */
  readonly batch: number;
  /** The time to collect changes for an event, in seconds: 0 to 300. */
  readonly window: number;
  /** How often a failed change is delivered again: 0 to 10,000. Then it goes to the dead-letter queue of the trigger. */
  readonly retries: number;
  /** The pattern of the changes that the function gets; every change by default. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
}

/** The resources of the application that a function works with, by name. */
export interface Uses {
  /** Buckets: `BUCKET_UPLOADS` has the bucket's name. */
  readonly buckets: Readonly<Record<string, "read" | "write" | "read-write">>;
  /** Topics: `TOPIC_MESSAGES` has the topic's ARN. */
  readonly topics: Readonly<Record<string, "publish">>;
  /** Queues: `QUEUE_JOBS` has the queue's URL. */
  readonly queues: Readonly<Record<string, "send">>;
  /** Tables: `TABLE_ORDERS` has the table's name. */
  readonly tables: Readonly<Record<string, "read" | "write" | "read-write">>;
}

/** An Amazon SQS queue. It has its own dead-letter queue. */
export interface QueueManifest {
  /** Whether the queue keeps the order of messages and delivers each once. */
  readonly fifo: boolean;
  /**
   * How often a message is delivered again after its first delivery failed: 0 to 999. Then the message goes to the
   * dead-letter queue, whose `maxReceiveCount` is one more.
   */
  readonly retries: number;
  /** The time that a delivered message is invisible to other receivers, in seconds: 0 to 43,200. */
  readonly visibility: number;
}

/** The settings of an Amazon S3 bucket. */
export interface BucketManifest {
  /** The pages of other origins that may send requests to the bucket; none by default. */
  readonly cors?: BucketCorsSettings | undefined;
}

/** One or two attributes with their types: the partition key, then the sort key. */
export type TableKey = Readonly<Record<string, "string" | "number" | "binary">>;

/** An Amazon DynamoDB table. */
export interface TableManifest {
  /** The key of an item. */
  readonly key: TableKey;
  /** The global secondary indexes by name. */
  readonly indexes: Readonly<Record<string, TableIndex>>;
  /** The attribute with the time at which an item expires, in seconds since 1970; items stay by default. */
  readonly expires?: string | undefined;
}

/** A global secondary index of a table. */
export interface TableIndex {
  /** The key in the index. */
  readonly key: TableKey;
  /** The attributes in the index besides the keys; all by default. */
  readonly projection?: readonly string[] | undefined;
}
