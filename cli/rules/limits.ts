/**
 * The limits of the services: names, and sizes in bytes and times in milliseconds.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 * @module
 */

export interface NameLimit {
  /** What has the name, and the service. */
  readonly noun: string;
  readonly service: string;
  /** The most characters. */
  readonly most: number;
}

/** The limits of the names in an account. */
export const NAMES = {
  /** @see https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html */
  function: { noun: "function", service: "AWS Lambda", most: 64 },
  /** @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
  role: { noun: "role", service: "AWS IAM", most: 64 },
  /** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html */
  rule: { noun: "rule", service: "Amazon EventBridge", most: 64 },
  /** @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html */
  schedule: { noun: "schedule", service: "Amazon EventBridge Scheduler", most: 64 },
  /** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
  bucket: { noun: "bucket", service: "Amazon S3", most: 63 },
  /** @see https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html */
  topic: { noun: "topic", service: "Amazon SNS", most: 256 },
  /** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
  queue: { noun: "queue", service: "Amazon SQS", most: 80 },
  /** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
  table: { noun: "table", service: "Amazon DynamoDB", most: 255 },
  /** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html */
  stack: { noun: "stack", service: "AWS CloudFormation", most: 128 },
} as const satisfies Readonly<Record<string, NameLimit>>;

/** The most bytes of the names and values of a function's environment variables. */
export const MAX_ENVIRONMENT = 4_096;

/**
 * The most characters of the policies in a role, without white space.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
export const MAX_ROLE_POLICY = 10_240;

/**
 * The most tags of a resource.
 *
 * @see https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
 */
export const MAX_TAGS = 50;

/**
 * The most subnets and security groups of a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_VpcConfig.html
 */
export const MAX_SUBNETS = 16;
export const MAX_SECURITY_GROUPS = 5;

/**
 * The most attributes in the projection of an index, besides the keys.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Projection.html
 */
export const MAX_PROJECTION = 20;

/**
 * The most characters of the input of a rule.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Target.html
 */
export const MAX_RULE_INPUT = 8_192;

/**
 * The most characters of an event pattern.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html
 */
export const MAX_PATTERN = 4_096;

/** The largest body of a request to Amazon API Gateway. */
export const MAX_REQUEST_BODY = 10_485_760;

/** The largest header section of a request to Amazon API Gateway. */
export const MAX_HEADERS = 10_240;

/** The largest request to Amazon DynamoDB: a batch of 16 MiB. */
export const MAX_TABLE_REQUEST = 17_825_792;

/** The largest event of a synchronous invocation. */
export const MAX_SYNC_EVENT = 6_291_456;

/** The largest event of an asynchronous invocation. */
export const MAX_ASYNC_EVENT = 1_048_576;

/** The largest result of a function. It is 100 bytes more than the largest event. */
export const MAX_RESULT = 6_291_556;

/** The largest streamed result of a function. */
export const MAX_STREAM = 209_715_200;

/**
 * The largest message of a queue. Amazon SQS allows more, but Terraform's provider does not.
 *
 * @see https://registry.terraform.io/providers/hashicorp/aws/5.100.0/docs/resources/sqs_queue#max_message_size-1
 */
export const MAX_MESSAGE = 262_144;

/** The largest message of Amazon SNS, with its attributes. */
export const MAX_PUBLICATION = 262_144;

/** The size of the end of a log that the caller of a function gets. */
export const LOG_TAIL = 4_096;

/** The time after which a REST API stops waiting for a function. */
export const GATEWAY_TIMEOUT = 29_000;

/**
 * The time after which an HTTP API stops waiting for a function.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
export const HTTP_API_TIMEOUT = 30_000;

/**
 * The most routes and authorizers of an API, audiences of an authorizer, and scopes of a route. A REST API counts its paths.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
export const API = { routes: 300, authorizers: 10, audiences: 50, scopes: 10 } as const;
