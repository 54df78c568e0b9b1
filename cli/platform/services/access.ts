import { fillPlaceholders } from "../../manifest/variables.ts";
import type { Manifest, Statement, Uses } from "../../manifest/types.ts";
import { ACCOUNT_ID, bucketArn, functionArn, queueArn, REGION, topicArn } from "../arn.ts";
import { queueName } from "./messaging.ts";

export interface Access {
  /** The action as IAM names it, such as `s3:GetObject`. */
  readonly action: string;
  readonly resource: string;
}

const READ = ["s3:GetObject", "s3:ListBucket"];
const WRITE = ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"];
const BUCKET_ACTIONS = {
  read: READ,
  write: WRITE,
  "read-write": [...READ, ...WRITE],
};
const SEND = ["sqs:SendMessage", "sqs:GetQueueUrl", "sqs:GetQueueAttributes"];

/** The statements that the uses of a function stand for, as the deployment writes them. */
export function statementsOf(
  { buckets, topics, queues }: Uses,
  manifest: Pick<Manifest, "queues">,
): Statement[] {
  return [
    ...Object.entries(buckets).map(([name, use]) =>
      allow(BUCKET_ACTIONS[use], [bucketArn(name), `${bucketArn(name)}/*`])
    ),
    ...Object.keys(topics).map((name) => allow(["sns:Publish"], [topicArn(name)])),
    ...Object.keys(queues).map((name) => allow(SEND, [queueArn(queueName(name, manifest))])),
  ];
}

function allow(Action: readonly string[], Resource: readonly string[]): Statement {
  return { Effect: "Allow", Action, Resource };
}

/**
 * Tells whether the statements of a policy allow an access: one statement must allow it, and none may deny it.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function isAllowed(statements: readonly Statement[], access: Access): boolean {
  const effects = statements.filter((statement) => applies(statement, access))
    .map(({ Effect }) => Effect);
  return effects.includes("Allow") && !effects.includes("Deny");
}

function applies({ Action, Resource }: Statement, { action, resource }: Access): boolean {
  return [Action].flat().some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    [Resource].flat().some((pattern) => matches(fill(pattern), resource));
}

/** Replaces the placeholders that have a value on this machine. */
export function fill(text: string): string {
  const values: Readonly<Record<string, string>> = { account: ACCOUNT_ID, region: REGION };
  return fillPlaceholders(text, (name) => values[name] ?? `\${${name}}`);
}

/** Matches text against a pattern of IAM: `*` stands for any characters, `?` for one. */
function matches(pattern: string, text: string): boolean {
  const expression = pattern.replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&")
    .replaceAll(/\*+/g, "[^]*").replaceAll("?", "[^]");
  return new RegExp(`^${expression}$`).test(text);
}

/** The operations that need the permission of another one (Amazon SQS). */
const SAME_PERMISSION: Readonly<Record<string, string>> = {
  ChangeMessageVisibilityBatch: "ChangeMessageVisibility",
  DeleteMessageBatch: "DeleteMessage",
  SendMessageBatch: "SendMessage",
};

/** The accesses that a request needs. A malformed request needs one that no policy allows. */
export function readAccesses(request: Request, service: string, body: string): readonly Access[] {
  const operation = request.headers.get("x-amz-target")?.split(".").at(-1) ?? "";
  try {
    if (service === "s3") return readObjectAccesses(request);
    if (service === "lambda") {
      const [, name = ""] = /\/functions\/([^/]+)/.exec(new URL(request.url).pathname) ?? [];
      const functionName = decodeURIComponent(name).split(":").at(-1)!;
      return [{ action: "lambda:InvokeFunction", resource: functionArn(functionName) }];
    }
    if (service === "sqs") {
      const { QueueUrl, QueueName } = JSON.parse(body);
      const name = String(QueueName ?? QueueUrl ?? "").split("/").at(-1)!;
      return [{
        action: `sqs:${SAME_PERMISSION[operation] ?? operation}`,
        resource: queueArn(name),
      }];
    }
  } catch {
    return [{ action: `${service}:${operation || "malformed"}`, resource: "malformed" }];
  }
  if (service === "sns") {
    const form = new URLSearchParams(body);
    const action = `sns:${form.get("Action")?.replace(/Batch$/, "")}`;
    return [{ action, resource: form.get("TopicArn") ?? form.get("TargetArn") ?? topicArn("") }];
  }
  const bus = `arn:aws:events:${REGION}:${ACCOUNT_ID}:event-bus/default`;
  return service === "events" ? [{ action: `events:${operation}`, resource: bus }] : [];
}

function readObjectAccesses({ method, url, headers }: Request): readonly Access[] {
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s
    .exec(new URL(url).pathname)!.map(decodeURIComponent);
  if (bucket === "") return [{ action: "s3:ListAllMyBuckets", resource: "*" }];
  const arn = bucketArn(bucket);
  const reads = method === "GET" || method === "HEAD";
  if (key === "") {
    return [
      reads
        ? { action: "s3:ListBucket", resource: arn }
        : { action: "s3:DeleteObject", resource: `${arn}/*` },
    ];
  }
  const deletes = method === "DELETE";
  if (deletes && new URL(url).searchParams.has("uploadId")) {
    return [{ action: "s3:AbortMultipartUpload", resource: `${arn}/${key}` }];
  }
  const verb = reads ? "Get" : deletes ? "Delete" : "Put";
  const accesses = [{ action: `s3:${verb}Object`, resource: `${arn}/${key}` }];
  const source = headers.get("x-amz-copy-source");
  if (source !== null) {
    const from = decodeURIComponent(source).replace(/^\//, "");
    accesses.push({ action: "s3:GetObject", resource: bucketArn(from) });
  }
  return accesses;
}
