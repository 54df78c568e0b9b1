import { secretsOf } from "../manifest/variables.ts";
import type { Manifest, Statement } from "../manifest/types.ts";
import { arnIn, type Place } from "../rules/arn.ts";
import type { Resources, ResourceStatement } from "./types.ts";

const BUCKET_ACTIONS = {
  read: ["s3:GetObject", "s3:ListBucket"],
  write: ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"],
};

const TABLE_ACTIONS = {
  read: ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:Scan"],
  write: [
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
  ],
};

/**
 * What a function may do with a queue to which it sends: send messages, and find the queue.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-api-permissions-reference.html
 */
const SEND = ["sqs:SendMessage", "sqs:GetQueueUrl", "sqs:GetQueueAttributes"];

/**
 * What Lambda does with a queue or a stream in the name of a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
 */
const RECEIVE = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
const FOLLOW = [
  "dynamodb:DescribeStream",
  "dynamodb:GetRecords",
  "dynamodb:GetShardIterator",
  "dynamodb:ListStreams",
];

/**
 * What Lambda does with the network of a function in a VPC.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions
 */
const NETWORK = [
  "ec2:CreateNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:DeleteNetworkInterface",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

type Access = "read" | "write" | "read-write";

const actionsOf = (access: Access, { read, write }: typeof BUCKET_ACTIONS) =>
  access === "read" ? read : access === "write" ? write : [...read, ...write];

const allow = (Action: readonly string[], ...Resource: string[]): Statement => ({
  Effect: "Allow",
  Action,
  Resource,
});

/** Makes the statements of the policy of a function's role. */
export function statementsOf(
  manifest: Manifest,
  key: string,
  { buckets, topics, queues, tables }: Resources,
  place: Place,
): Statement[] {
  const { uses, statements } = manifest.functions[key]!;
  const listens = <T extends { readonly function: string }>({ function: name }: T) => name === key;
  const secrets = Object.values(secretsOf(manifest, manifest.functions[key]!))
    .map((parameter) => arnIn(place, "ssm", `parameter${parameter}`));
  const logs = arnIn(place, "logs", `log-group:/aws/lambda/${manifest.name}-${key}:*`);
  return [
    allow(["logs:CreateLogStream", "logs:PutLogEvents"], logs),
    // AWS X-Ray has no resources.
    ...manifest.tracing ? [allow(["xray:PutTraceSegments", "xray:PutTelemetryRecords"], "*")] : [],
    // A network interface has no name before it exists, so the service takes no resources here.
    ...manifest.settings.vpc === undefined ? [] : [allow(NETWORK, "*")],
    ...Object.entries(uses.buckets).map(([name, access]) => {
      const { arn } = buckets[name]!;
      return allow(actionsOf(access, BUCKET_ACTIONS), arn, `${arn}/*`);
    }),
    ...Object.keys(uses.topics).map((name) => allow(["sns:Publish"], topics[name]!.arn)),
    ...Object.keys(uses.queues).map((name) => allow(SEND, queues[name]!.arn)),
    ...Object.entries(uses.tables).map(([name, access]) => {
      const { arn } = tables[name]!;
      return allow(actionsOf(access, TABLE_ACTIONS), arn, `${arn}/index/*`);
    }),
    ...Object.values(queues).filter(({ listeners }) => listeners.some(listens))
      .map(({ arn }) => allow(RECEIVE, arn)),
    ...Object.values(tables).flatMap(({ arn, listeners }) =>
      listeners.filter(listens).flatMap(({ deadLetters }) => [
        allow(FOLLOW, `${arn}/stream/*`),
        allow(["sqs:SendMessage"], deadLetters.arn),
      ])
    ),
    // The key of AWS that encrypts the parameters needs no right of its own.
    ...secrets.length === 0 ? [] : [allow(["ssm:GetParameters"], ...secrets)],
    ...statements,
  ];
}

/** Makes the policy of a resource: it refuses requests without TLS. */
export function tlsOnly(Action: string, ...Resource: string[]): ResourceStatement[] {
  const Condition = { Bool: { "aws:SecureTransport": "false" } };
  return [{ Effect: "Deny", Principal: "*", Action, Resource, Condition }];
}
