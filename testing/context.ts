import type { FnContext } from "../function/context.ts";
import { ACCOUNT_ID, randomHex, REGION } from "./identifiers.ts";

/**
 * Makes the context of one invocation, the second argument of a handler.
 *
 * @param init The members that the test cares about. All other members have realistic values.
 * @returns The context. By default, 30 seconds are left, and they run down.
 *
 * @example Test what a handler does shortly before its end
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createContext } from "@mate/core/testing";
 *
 * const context = createContext({ getRemainingTimeInMillis: () => 50 });
 * assertEquals([context.getRemainingTimeInMillis(), context.functionName], [50, "function"]);
 * ```
 */
export function createContext(init: Partial<FnContext> = {}): FnContext {
  const { functionName = "function", functionVersion = "$LATEST" } = init;
  const deadline = Date.now() + 30_000;
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    awsRequestId: crypto.randomUUID(),
    functionName,
    functionVersion,
    invokedFunctionArn: `arn:aws:lambda:${REGION}:${ACCOUNT_ID}:function:${functionName}`,
    memoryLimitInMB: "128",
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: `${day}/[${functionVersion}]${randomHex(32)}`,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    ...init,
  };
}
