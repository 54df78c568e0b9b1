import { proxyResponse } from "@mate/core/testing";
import type { InvokeOutcome } from "../function_host.ts";
import type { Reply } from "../http.ts";
import { gatewayRefusal } from "./errors.ts";
import type { StreamedResponse } from "./streamed_response.ts";

/**
 * Makes the HTTP response of an invocation.
 *
 * @throws {Refusal} If the function failed, or if its result is malformed; the message says where.
 */
export async function replyOf(
  outcome: InvokeOutcome | StreamedResponse,
  gateway: "rest" | "url",
): Promise<Reply> {
  const result = "prelude" in outcome ? headOf(outcome, gateway) : resultOf(outcome, gateway);
  try {
    const response = proxyResponse(result, { gateway });
    return {
      status: response.status,
      headers: [...response.headers],
      body: "prelude" in outcome ? outcome.body : await response.bytes(),
    };
  } catch (error) {
    const answer = error instanceof SyntaxError ? "API_CONFIGURATION_ERROR" : "INTEGRATION_FAILURE";
    throw gatewayRefusal(answer, (error as Error).message);
  }
}

/** The result of a function. A function's own time-out is a failure too. */
function resultOf(
  { failure, payload, isStream }: InvokeOutcome,
  gateway: "rest" | "url",
): unknown {
  if (failure !== undefined) {
    throw gatewayRefusal("INTEGRATION_FAILURE", `the function failed (${failure})`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch (error) {
    const place = gateway === "rest" ? "route" : "url";
    const reason = isStream
      ? `the handler streams: set "stream": true on this ${place} in the manifest`
      : `Malformed Lambda proxy response: ${(error as Error).message}`;
    throw gatewayRefusal("INTEGRATION_FAILURE", reason);
  }
}

/** The result of a function that streams its body. A REST API takes cookies among the other headers. */
function headOf({ prelude }: StreamedResponse, gateway: "rest" | "url"): unknown {
  if (gateway === "url") return { statusCode: 200, ...prelude };
  const { cookies, multiValueHeaders, ...head } = prelude;
  const fields = {
    ...Object(multiValueHeaders),
    ...(cookies === undefined ? {} : { "Set-Cookie": cookies }),
  };
  return { ...head, multiValueHeaders: fields };
}
