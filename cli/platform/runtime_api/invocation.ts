import { createTraceId, functionArn } from "../arn.ts";
import type { InvokeOptions } from "../function_host.ts";

/** One invocation, as a runtime receives it. */
export interface Invocation extends InvokeOptions {
  readonly requestId: string;
  /** The name of the function. */
  readonly functionName: string;
  /** The event: JSON, as bytes. */
  readonly payload: Uint8Array;
  /** When the invocation is out of time, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** The headers that come with an invocation. */
export function nextHeaders(invocation: Invocation): Record<string, string> {
  const { clientContext, tenantId, traceId } = invocation;
  const trace = traceId ??
    `${createTraceId()};Parent=${crypto.randomUUID().slice(-17).replace("-", "")};Sampled=0`;
  return {
    "content-type": "application/json",
    "lambda-runtime-aws-request-id": invocation.requestId,
    "lambda-runtime-deadline-ms": String(invocation.deadline),
    "lambda-runtime-invoked-function-arn": functionArn(invocation.functionName),
    "lambda-runtime-trace-id": oneLine(trace),
    ...(clientContext && { "lambda-runtime-client-context": asciiJson(clientContext) }),
    ...(tenantId && { "lambda-runtime-aws-tenant-id": oneLine(tenantId) }),
  };
}

/** JSON text that fits into a header: line breaks between tokens become spaces, other characters are escaped. */
function asciiJson(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (character) => {
    if (/\s/.test(character) && character < "\x7f") return " ";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, " ");
}
