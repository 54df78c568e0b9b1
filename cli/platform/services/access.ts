import { fillPlaceholders } from "../../manifest/variables.ts";
import type { Statement } from "../../manifest/types.ts";
import {
  ACCOUNT_ID,
  bucketArn,
  eventBusArn,
  functionArn,
  queueArn,
  REGION,
  topicArn,
} from "../../application/arn.ts";
import { ANY, matchesWildcard, ONE } from "../../application/wildcard.ts";
import { jsonFailure, s3Failure, xmlResponse } from "./responses.ts";
import { placeOf } from "./s3_object.ts";

export interface Access {
  /** The action as IAM names it, such as `s3:GetObject`. */
  readonly action: string;
  /** The ARN of the resource. */
  readonly resource: string;
}

/**
 * Tells whether the statements of a policy allow an access: one statement must allow the access, and none may deny it.
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

/** Replaces `${account}` and `${region}`. Keeps other placeholders, because they have no value on this machine. */
export function fill(text: string): string {
  const values: Readonly<Record<string, string>> = { account: ACCOUNT_ID, region: REGION };
  return fillPlaceholders(text, (name) => values[name] ?? `\${${name}}`);
}

/** Replaces the name of a deployed resource in an ARN by its name on this machine: `shop-hello` by `hello`. */
export function localArn(arn: string, application: string): string {
  const service = "s3::|(?:lambda|sns|sqs):[^:]*:[^:]*(?::function)?";
  return arn.replace(new RegExp(`^(arn:aws:(?:${service}):)${application}-`), "$1")
    .replace(`-${ACCOUNT_ID}-${REGION}`, "");
}

/** Matches text against a pattern of IAM: `*` stands for any characters, `?` for one, `${*}` for an asterisk. */
function matches(pattern: string, text: string): boolean {
  const wildcard = (pattern.match(/\$\{[*?$]\}|[^]/g) ?? [])
    .map((part) => part === "*" ? ANY : part === "?" ? ONE : part.length > 1 ? part[2]! : part);
  return matchesWildcard(wildcard, text);
}

/** Lists the accesses that a request needs. For a malformed request, the list has an access that no policy allows. */
export function readAccesses(request: Request, service: string, body: string): readonly Access[] {
  const operation = request.headers.get("x-amz-target")?.split(".").at(-1) ?? "";
  try {
    switch (service) {
      case "s3":
        return readObjectAccesses(request);
      case "lambda": {
        const [, name = ""] = /\/functions\/([^/]+)/.exec(new URL(request.url).pathname) ?? [];
        const functionName = decodeURIComponent(name).split(":").at(-1)!;
        return [{ action: "lambda:InvokeFunction", resource: functionArn(functionName) }];
      }
      case "sqs": {
        const { QueueUrl, QueueName } = JSON.parse(body);
        const name = String(QueueName ?? QueueUrl ?? "").split("/").at(-1)!;
        const action = operation.replace(/Batch$/, "");
        return [{ action: `sqs:${action}`, resource: queueArn(name) }];
      }
      case "sns": {
        const form = new URLSearchParams(body);
        const action = `sns:${form.get("Action")?.replace(/Batch$/, "")}`;
        const resource = form.get("TopicArn") ?? form.get("TargetArn") ?? topicArn("");
        return [{ action, resource }];
      }
      default:
        return [{ action: `${service}:${operation}`, resource: eventBusArn("default") }];
    }
  } catch {
    return [{ action: `${service}:${operation || "malformed"}`, resource: "malformed" }];
  }
}

function readObjectAccesses(request: Request): readonly Access[] {
  const { method, url, headers } = request;
  const [bucket, key] = placeOf(request);
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

/** Refuses an access that the manifest does not grant. */
export function deny(
  functionName: string,
  service: string,
  { action, resource }: Access,
): Response {
  const message = `The function "${functionName}" may not ${action} on ${resource}: ` +
    'grant it in the manifest by "uses" or "statements"';
  if (service === "s3") return s3Failure(403, "AccessDenied", message);
  if (service !== "sns") return jsonFailure(403, "AccessDeniedException", message);
  const error = { Type: "Sender", Code: "AuthorizationError", Message: message };
  return xmlResponse({ ErrorResponse: { Error: error } }, 403);
}
