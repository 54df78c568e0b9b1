import { fillPlaceholders } from "../../manifest/variables.ts";
import type { Statement } from "../../manifest/types.ts";
import { ACCOUNT_ID, functionArn, REGION } from "../../application/arn.ts";
import { ANY, matchesWildcard, ONE } from "../../application/wildcard.ts";
import { type Access, ServiceError } from "./service_call.ts";

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

/** Lists the accesses that a request to the Invoke API of AWS Lambda needs. */
export function invocationAccesses({ url }: Request): readonly Access[] {
  const [, name = ""] = /\/functions\/([^/]+)/.exec(new URL(url).pathname) ?? [];
  const functionName = decodeURIComponent(name).split(":").at(-1)!;
  return [{ action: "lambda:InvokeFunction", resource: functionArn(functionName) }];
}

/** Makes the error for an access that the manifest does not grant. */
export function denied(
  functionName: string,
  service: string,
  { action, resource }: Access,
): ServiceError {
  const message = `The function "${functionName}" may not ${action} on ${resource}: ` +
    'grant it in the manifest by "uses" or "statements"';
  const code = service === "s3" || service === "sqs" ? "AccessDenied" : "AuthorizationError";
  const type = service === "s3" || service === "sns" ? code : "AccessDeniedException";
  return new ServiceError(code, message, type, 403);
}
