/**
 * The places of an application, and the names on the local platform: ARNs, trace identifiers, log streams.
 *
 * @module
 */

/** The account of this machine. */
export const ACCOUNT_ID = "000000000000";

export const REGION = "us-east-1";

/** The place of an application: on this machine, or in an account and region of AWS. */
export interface Place {
  /** The partition of AWS, such as `aws` or `aws-cn`. */
  readonly partition: string;
  readonly account: string;
  readonly region: string;
  /** The URL before the names of queues; by default that of Amazon SQS in the region. */
  readonly queues?: string;
  /** Returns the value of `${infra.NAME}`; by default the placeholder stays. */
  readonly infra?: (name: string) => string;
}

/** This machine. */
export const LOCAL: Place = { partition: "aws", account: ACCOUNT_ID, region: REGION };

/** Returns an ARN with an account and a region. */
export const arnIn = (
  { partition, region, account }: Place,
  service: string,
  name: string,
): string => `arn:${partition}:${service}:${region}:${account}:${name}`;

/** Returns the name of a function of a manifest in the account, and on this machine. */
export const functionName = (manifest: { readonly name: string }, key: string): string =>
  `${manifest.name}-${key}`;

/** Returns the ARN of a function, without a version. */
export const functionArn = (name: string): string => arnIn(LOCAL, "lambda", `function:${name}`);

export const bucketArn = (name: string): string => `arn:aws:s3:::${name}`;

export const topicArn = (name: string): string => arnIn(LOCAL, "sns", name);

export const queueArn = (name: string): string => arnIn(LOCAL, "sqs", name);

export const ruleArn = (name: string): string => arnIn(LOCAL, "events", `rule/${name}`);

/** Returns the ARN of a schedule of EventBridge Scheduler. */
export const scheduleArn = (name: string): string =>
  arnIn(LOCAL, "scheduler", `schedule/default/${name}`);

export const eventBusArn = (name: string): string => arnIn(LOCAL, "events", `event-bus/${name}`);

/** Returns the ARN of a request to a REST API. */
export const methodArn = (request: string): string => arnIn(LOCAL, "execute-api", request);

export function createTraceId(time = new Date()): string {
  const seconds = Math.floor(time.getTime() / 1_000).toString(16).padStart(8, "0");
  return `Root=1-${seconds}-${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** Returns the name of a log stream that begins today. */
export function logStreamName(id: string): string {
  return `${new Date().toISOString().slice(0, 10).replaceAll("-", "/")}/[$LATEST]${id}`;
}
