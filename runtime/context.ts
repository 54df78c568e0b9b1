import type { FnContext } from "../function/context.ts";
import type { Host } from "./host.ts";
import { RuntimeFailure } from "./failure.ts";

/** What all contexts of one process have in common. */
export type Surroundings = Pick<
  FnContext,
  "functionName" | "functionVersion" | "memoryLimitInMB" | "logGroupName" | "logStreamName"
>;

/** Reads what all contexts have in common; an absent variable is an empty string. */
export function readSurroundings(host: Host): Surroundings {
  return {
    functionName: host.getEnv("AWS_LAMBDA_FUNCTION_NAME") ?? "",
    functionVersion: host.getEnv("AWS_LAMBDA_FUNCTION_VERSION") ?? "",
    memoryLimitInMB: host.getEnv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE") ?? "",
    logGroupName: host.getEnv("AWS_LAMBDA_LOG_GROUP_NAME") ?? "",
    logStreamName: host.getEnv("AWS_LAMBDA_LOG_STREAM_NAME") ?? "",
  };
}

/**
 * Makes the context of one invocation.
 *
 * @param awsRequestId The identifier of the invocation.
 * @param fields The fields of the answer that brought it; any may be absent.
 * @param surroundings What all contexts have in common.
 * @throws {RuntimeFailure} If the client context or the identity is no JSON object.
 */
export function makeContext(
  awsRequestId: string,
  fields: ReadonlyMap<string, string>,
  surroundings: Surroundings,
): FnContext {
  const deadline = Number(fields.get("lambda-runtime-deadline-ms") || NaN);
  return {
    ...surroundings,
    awsRequestId,
    invokedFunctionArn: fields.get("lambda-runtime-invoked-function-arn") ?? "",
    clientContext: readJson(fields, "lambda-runtime-client-context"),
    identity: readJson(fields, "lambda-runtime-cognito-identity"),
    tenantId: fields.get("lambda-runtime-aws-tenant-id"),
    // Without a deadline there is none.
    getRemainingTimeInMillis: () =>
      Number.isNaN(deadline) ? Infinity : Math.max(deadline - Date.now(), 0),
  };
}

function readJson<T>(fields: ReadonlyMap<string, string>, name: string): T | undefined {
  const text = fields.get(name);
  if (!text) return undefined;
  let problem = "it is no JSON object";
  try {
    const value = JSON.parse(text);
    if (value === null) return undefined;
    if (typeof value === "object" && !Array.isArray(value)) return value;
  } catch (error) {
    problem = (error as Error).message;
  }
  throw new RuntimeFailure(
    "Runtime.UnmarshalError",
    `Cannot read the header "${name}": ${problem}`,
  );
}
