import { functionArn } from "../arn.ts";
import type { InvokeOptions } from "../function_host.ts";

/** One invocation, as it is handed to a runtime. */
export interface Invocation extends InvokeOptions {
  /** The identifier. */
  readonly requestId: string;
  /** The name of the function. */
  readonly functionName: string;
  /** The event: JSON, as bytes. */
  readonly payload: Uint8Array;
  /** When the invocation is out of time, in milliseconds since the epoch. */
  readonly deadline: number;
}

/**
 * The headers that come with an invocation.
 *
 * @param invocation The invocation.
 * @returns The headers of the answer to *next*.
 */
export function nextHeaders(invocation: Invocation): Record<string, string> {
  const { clientContext, tenantId } = invocation;
  return {
    "content-type": "application/json",
    "lambda-runtime-aws-request-id": invocation.requestId,
    "lambda-runtime-deadline-ms": String(invocation.deadline),
    "lambda-runtime-invoked-function-arn": functionArn(invocation.functionName),
    "lambda-runtime-trace-id": oneLine(invocation.traceId ?? makeTraceId()),
    ...(clientContext === undefined
      ? {}
      : { "lambda-runtime-client-context": asciiJson(clientContext) }),
    ...(tenantId === undefined ? {} : { "lambda-runtime-aws-tenant-id": oneLine(tenantId) }),
  };
}

/** A trace header for an invocation that has none, not sampled. */
function makeTraceId(): string {
  const hex = crypto.randomUUID().replaceAll("-", "");
  const seconds = Math.floor(Date.now() / 1_000).toString(16);
  return `Root=1-${seconds}-${hex.slice(0, 24)};Parent=${hex.slice(16)};Sampled=0`;
}

/** JSON text that fits into a header: line breaks mean nothing between its tokens, other characters are escaped. */
function asciiJson(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (character) => {
    if (/\s/.test(character) && character < "\x7f") return " ";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, " ");
}
