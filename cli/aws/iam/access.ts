import { ACCOUNT_ID, REGION } from "../../rules/arn.ts";
import type { Statement } from "../../rules/statement.ts";
import { type Context, decide } from "./policy.ts";
import { type Access, ServiceError } from "../service_call.ts";

/** The role of a function. */
interface Role {
  /** The ARN of the function. */
  readonly arn: string;
  /** The name of the role. */
  readonly role: string;
  readonly statements: readonly Statement[];
}

/** The rights of the functions: the statements that the deployment writes for their roles. */
export class Rights {
  readonly #roles: Readonly<Record<string, Role>>;

  /** `roles` has the role of each function by the function's name. */
  constructor(roles: Readonly<Record<string, Role>>) {
    this.#roles = roles;
  }

  /** Tells whether the role of a function allows an access on this machine. */
  allows(functionName: string, { context = {}, ...access }: Access): boolean {
    const { statements, role, arn } = this.#roles[functionName]!;
    const own = Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]);
    const decision = decide(statements, access, {
      ...globalContext(role),
      "lambda:sourcefunctionarn": arn,
      ...Object.fromEntries(own),
    });
    return decision === "Allow";
  }

  /** Throws an error if the role of a function does not allow all accesses of a call. */
  check(functionName: string, service: string, accesses: readonly Access[]): void {
    const refused = accesses.find((access) => !this.allows(functionName, access));
    if (refused !== undefined) throw denied(functionName, service, refused);
  }
}

/**
 * The condition keys that each request has.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
 */
function globalContext(role: string): Context {
  const now = new Date();
  return {
    "aws:currenttime": now.toISOString(),
    "aws:epochtime": String(Math.floor(now.getTime() / 1_000)),
    "aws:principalaccount": ACCOUNT_ID,
    "aws:principalarn": `arn:aws:iam::${ACCOUNT_ID}:role/${role}`,
    "aws:principaltype": "AssumedRole",
    "aws:requestedregion": REGION,
    "aws:resourceaccount": ACCOUNT_ID,
    "aws:securetransport": "true", // In the account, functions use TLS.
    "aws:viaawsservice": "false",
  };
}

/** Makes the error for an access that the manifest does not grant. */
function denied(functionName: string, service: string, { action, resource }: Access): ServiceError {
  const message = `The function "${functionName}" may not ${action} on ${resource}: ` +
    'grant it in the manifest by "uses" or "statements"';
  const code = service === "s3" || service === "sqs" ? "AccessDenied" : "AuthorizationError";
  const type = service === "s3" || service === "sns" ? code : "AccessDeniedException";
  return new ServiceError(code, message, type, 403);
}
