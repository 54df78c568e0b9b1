/**
 * The account and the region of the local platform, and the names in them: ARNs, trace identifiers, log streams.
 *
 * @module
 */

/** The account that the emulator of Amazon SQS and Amazon SNS uses. */
export const ACCOUNT_ID = "000000000000";

export const REGION = "us-east-1";

const arnIn = (service: string, name: string) =>
  `arn:aws:${service}:${REGION}:${ACCOUNT_ID}:${name}`;

/** Returns the ARN of a function, without a version. */
export const functionArn = (name: string): string => arnIn("lambda", `function:${name}`);

export const bucketArn = (name: string): string => `arn:aws:s3:::${name}`;

export const topicArn = (name: string): string => arnIn("sns", name);

export const queueArn = (name: string): string => arnIn("sqs", name);

export const ruleArn = (name: string): string => arnIn("events", `rule/${name}`);

export const eventBusArn = (name: string): string => arnIn("events", `event-bus/${name}`);

/** Returns the ARN of a request to a REST API. */
export const methodArn = (request: string): string => arnIn("execute-api", request);

export function createTraceId(time = new Date()): string {
  const seconds = Math.floor(time.getTime() / 1_000).toString(16).padStart(8, "0");
  return `Root=1-${seconds}-${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** Returns the name of a log stream that begins today. */
export function logStreamName(id: string): string {
  return `${new Date().toISOString().slice(0, 10).replaceAll("-", "/")}/[$LATEST]${id}`;
}
