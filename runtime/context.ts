import type { FnContext } from "../function/context.ts";
import { RuntimeFailure } from "./failure.ts";
import type { Host } from "./host.ts";

/** The members that the contexts of all invocations share. */
export type SharedContext = Pick<
  FnContext,
  "functionName" | "functionVersion" | "memoryLimitInMB" | "logGroupName" | "logStreamName"
>;

/** Reads the shared members from the environment. An absent variable gives an empty string. */
export function readSharedContext({ getEnv }: Host): SharedContext {
  return {
    functionName: getEnv("AWS_LAMBDA_FUNCTION_NAME") ?? "",
    functionVersion: getEnv("AWS_LAMBDA_FUNCTION_VERSION") ?? "",
    memoryLimitInMB: getEnv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE") ?? "",
    logGroupName: getEnv("AWS_LAMBDA_LOG_GROUP_NAME") ?? "",
    logStreamName: getEnv("AWS_LAMBDA_LOG_STREAM_NAME") ?? "",
  };
}

/**
 * Makes the context of one invocation.
 *
 * @param awsRequestId The request id.
 * @param fields The header fields of the invocation. Any of them may be absent.
 * @param shared The members that all contexts share.
 * @throws {RuntimeFailure} If the client context or the Cognito identity is not a JSON object.
 */
export function makeContext(
  awsRequestId: string,
  fields: ReadonlyMap<string, string>,
  shared: SharedContext,
): FnContext {
  const deadline = Number(fields.get("lambda-runtime-deadline-ms") || Infinity);
  return {
    ...shared,
    awsRequestId,
    invokedFunctionArn: fields.get("lambda-runtime-invoked-function-arn") ?? "",
    clientContext: readJson(fields, "lambda-runtime-client-context"),
    identity: readJson(fields, "lambda-runtime-cognito-identity"),
    tenantId: fields.get("lambda-runtime-aws-tenant-id"),
    getRemainingTimeInMillis: () => Math.max(deadline - Date.now(), 0),
  };
}

function readJson<T>(fields: ReadonlyMap<string, string>, name: string): T | undefined {
  const text = fields.get(name);
  if (!text) return undefined;
  let problem = "expected a JSON object";
  try {
    const value = JSON.parse(text);
    if (value === null) return undefined;
    if (typeof value === "object" && !Array.isArray(value)) return value;
  } catch (error) {
    problem = (error as Error).message;
  }
  throw new RuntimeFailure("Runtime.UnmarshalError", `Invalid header "${name}": ${problem}`);
}
