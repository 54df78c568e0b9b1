import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { createTraceId, functionArn } from "../../rules/arn.ts";
import type { InvokeOptions } from "../function_host.ts";
import { readBody } from "../http.ts";
import { MAX_RESULT, MAX_STREAM } from "../../rules/limits.ts";

export interface Invocation extends InvokeOptions {
  readonly requestId: string;
  readonly functionName: string;
  /** The event: JSON, as bytes. */
  readonly payload: Uint8Array;
  /** The end of the time of the invocation, in milliseconds since the epoch. */
  readonly deadline: number;
}

/** Makes the headers of the response to the request for the next invocation. */
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

/** Makes JSON fit into a header: line breaks become spaces, and characters outside of ASCII are escaped. */
function asciiJson(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, (character) => {
    if (/\s/.test(character) && character < "\x7f") return " ";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, " ");
}

/** An error that a runtime posted, or that the platform made. */
export interface ErrorAnswer {
  readonly kind: "error" | "too large";
  /** The type of the error, such as `Function.X` or `Runtime.X`. */
  readonly errorType: string;
  readonly body: Uint8Array;
}

export interface ResultAnswer {
  readonly kind: "response";
  /** The posted result. It is empty if the result went to the stream of the invocation. */
  readonly body: Uint8Array;
  /** The media type of the result. A stream with an HTTP prelude has its own type. */
  readonly contentType: string;
  readonly isStream: boolean;
}

export type Answer = ResultAnswer | ErrorAnswer;

function errorBody(errorType: string, errorMessage: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ errorType, errorMessage }));
}

function tooLarge({ headers }: IncomingMessage, { length }: Uint8Array): ErrorAnswer {
  const size = Number(headers["content-length"] ?? length);
  const errorType = "Function.ResponseSizeTooLarge";
  const message =
    `Response payload size (${size} bytes) exceeded maximum allowed payload size (${MAX_RESULT} bytes).`;
  return { kind: "too large", errorType, body: errorBody(errorType, message) };
}

/** Makes an error of the platform about a runtime. */
export function runtimeError(errorType: string, message: string): ErrorAnswer {
  return { kind: "error", errorType, body: errorBody(errorType, message) };
}

/** Makes an error of the posted type and JSON. On AWS Lambda, the type `Unknown` replaces a malformed type. */
function postedError(type: string | undefined, body: Uint8Array): ErrorAnswer {
  const isKnown = type !== undefined && /^(Runtime|Function)\.[A-Z][a-zA-Z]+$/.test(type);
  const errorType = isKnown
    ? type
    : type?.startsWith("Function.")
    ? "Function.Unknown"
    : "Runtime.Unknown";
  return { kind: "error", errorType, body: body.length > 0 ? body : errorBody(errorType, "") };
}

/** Reads the result or the error that a runtime posts. A streamed result goes to the stream, if there is one. */
export async function readAnswer(
  request: IncomingMessage,
  isError: boolean,
  isStream: boolean,
  stream: InvokeOptions["stream"],
): Promise<Answer> {
  if (isError) return await readError(request);
  const contentType = request.headers["content-type"] ?? "application/octet-stream";
  if (isStream && stream !== undefined) {
    const writer = stream(contentType).getWriter();
    writer.closed.catch(() => {}); // The function goes on if the client goes away.
    try {
      for await (const chunk of request) await writer.write(chunk).catch(() => {});
    } catch (error) {
      await writer.abort(error).catch(() => {});
      throw error;
    }
    const error = trailingError(request);
    await (error === undefined ? writer.close() : writer.abort(brokenStream(error))).catch(
      () => {},
    );
    return error ?? { kind: "response", body: new Uint8Array(), contentType, isStream };
  }
  const limit = isStream ? MAX_STREAM : MAX_RESULT;
  const body = await readBody(request, limit);
  if (body.length > limit) return tooLarge(request, body);
  return trailingError(request) ?? { kind: "response", body, contentType, isStream };
}

function brokenStream({ errorType }: ErrorAnswer): Error {
  return new Error(`the function failed in the middle of its stream (${errorType})`);
}

/** Reads the error that a runtime posts. */
export async function readError(request: IncomingMessage): Promise<ErrorAnswer> {
  const body = await readBody(request, MAX_RESULT);
  if (body.length > MAX_RESULT) return tooLarge(request, body);
  return postedError(request.headers["lambda-runtime-function-error-type"]?.toString(), body);
}

/** Reads the error in the trailers of a stream. */
function trailingError({ trailers }: IncomingMessage): ErrorAnswer | undefined {
  const type = trailers["lambda-runtime-function-error-type"];
  const body = trailers["lambda-runtime-function-error-body"] ?? "";
  return type === undefined ? undefined : postedError(type, Buffer.from(body, "base64"));
}
