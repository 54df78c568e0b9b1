import { proxyResponse } from "@mate/core/testing";
import type { InvokeOutcome } from "../function_host.ts";
import type { Reply } from "../http.ts";
import { gatewayRefusal } from "./errors.ts";

/** The result of a function. A function's own time-out is a failure too. */
export function resultOf({ failure, payload }: InvokeOutcome): unknown {
  if (failure !== undefined) {
    throw gatewayRefusal("INTEGRATION_FAILURE", `the function failed (${failure})`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch (error) {
    const reason = `Malformed Lambda proxy response: ${(error as Error).message}`;
    throw gatewayRefusal("INTEGRATION_FAILURE", reason);
  }
}

/**
 * Makes the HTTP response of a function's result.
 *
 * @throws {Refusal} If the result is malformed; the message says where.
 */
export async function replyOf(result: unknown, gateway: "rest" | "url"): Promise<Reply> {
  try {
    const response = proxyResponse(result, { gateway });
    return {
      status: response.status,
      headers: [...response.headers],
      body: await response.bytes(),
    };
  } catch (error) {
    const answer = error instanceof SyntaxError ? "API_CONFIGURATION_ERROR" : "INTEGRATION_FAILURE";
    throw gatewayRefusal(answer, (error as Error).message);
  }
}
