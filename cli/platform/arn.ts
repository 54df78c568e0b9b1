/**
 * How the local platform names things: one account, one region, and the ARNs that follow from them.
 *
 * @module
 */

/** The account; the one that the platform's documentation uses in its examples. */
export const ACCOUNT_ID = "123456789012";

/** The region. */
export const REGION = "us-east-1";

/** The ARN of a function, without a version. */
export function functionArn(name: string): string {
  return `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${name}`;
}

/** The ARN of a bucket. */
export function bucketArn(name: string): string {
  return `arn:aws:s3:::${name}`;
}

/** The ARN of a topic. */
export function topicArn(name: string): string {
  return `arn:aws:sns:${REGION}:${ACCOUNT_ID}:${name}`;
}

/** The ARN of the rule that holds a schedule. */
export function ruleArn(name: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT_ID}:rule/${name}`;
}
