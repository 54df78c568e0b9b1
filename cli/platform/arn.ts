/**
 * How the local platform names things: one account, one region, and the ARNs and trace identifiers that follow.
 *
 * @module
 */

/** The account: the one that the emulator of Amazon SQS and Amazon SNS uses. */
export const ACCOUNT_ID = "000000000000";

export const REGION = "us-east-1";

/** The ARN of a function, without a version. */
export function functionArn(name: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${name}`;
}

export function bucketArn(name: string): string {
  return `arn:aws:s3:::${name}`;
}

export function topicArn(name: string): string {
  return `arn:aws:sns:${REGION}:${ACCOUNT_ID}:${name}`;
}

export function queueArn(name: string): string {
  return `arn:aws:sqs:${REGION}:${ACCOUNT_ID}:${name}`;
}

export function ruleArn(name: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT_ID}:rule/${name}`;
}

export function createTraceId(time = new Date()): string {
  const seconds = Math.floor(time.getTime() / 1_000).toString(16).padStart(8, "0");
  return `Root=1-${seconds}-${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** The name of a log stream that begins today. */
export function logStreamName(id: string): string {
  return `${new Date().toISOString().slice(0, 10).replaceAll("-", "/")}/[$LATEST]${id}`;
}
