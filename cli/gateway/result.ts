import { proxyResponse } from "@mate/core/testing";
import { Buffer } from "node:buffer";
import type { FunctionHost, InvokeOptions, InvokeOutcome } from "../lambda/function_host.ts";
import type { Reply } from "../lambda/http.ts";
import { GatewayError } from "./protocol.ts";

interface StreamedResponse {
  /** The status, header fields and cookies, as the function sent them. */
  readonly prelude: Readonly<Record<string, unknown>>;
  readonly body: ReadableStream<Uint8Array>;
}

const HTTP_TYPE = "application/vnd.awslambda.http-integration-response";

/**
 * The largest prelude with its delimiter, in bytes.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
const MAX_PRELUDE = 16 * 1024;

/** The bytes between the prelude and the body. */
const DELIMITER = "\0".repeat(8);

/**
 * Invokes a function that may stream its response.
 *
 * @returns The response when its prelude has arrived, or the outcome if the function does not stream.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
 */
export async function invokeStreaming(
  host: FunctionHost,
  name: string,
  payload: Uint8Array,
  options: InvokeOptions,
): Promise<InvokeOutcome | StreamedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<InvokeOutcome | StreamedResponse>();
  const stream = (contentType: string) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    resolve(readResponse(contentType, readable)); // The outcome that comes later has no effect.
    return writable;
  };
  host.invoke(name, payload, { ...options, stream }).then(resolve, reject);
  return await promise;
}

async function readResponse(
  contentType: string,
  stream: ReadableStream<Uint8Array>,
): Promise<StreamedResponse> {
  if (contentType !== HTTP_TYPE) {
    return { prelude: { headers: { "content-type": contentType } }, body: stream };
  }
  const reader = stream.getReader();
  for (let bytes = Buffer.alloc(0);;) {
    const { value, done } = await reader.read();
    if (done) throw new GatewayError("INTEGRATION_FAILURE", "the stream ends within its prelude");
    bytes = Buffer.concat([bytes, value]);
    const end = bytes.subarray(0, MAX_PRELUDE).indexOf(DELIMITER);
    if (end < 0 && bytes.length < MAX_PRELUDE) continue;
    if (end < 0) {
      await reader.cancel();
      const reason = `the stream has no delimiter in its first ${MAX_PRELUDE} bytes`;
      throw new GatewayError("INTEGRATION_FAILURE", reason);
    }
    reader.releaseLock();
    const rest = bytes.subarray(end + DELIMITER.length);
    return {
      prelude: parsePrelude(bytes.subarray(0, end)),
      body: ReadableStream.from(prepend(rest, stream)),
    };
  }
}

function parsePrelude(bytes: Uint8Array): Record<string, unknown> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    const reason = `the prelude of the stream is not JSON: ${(error as Error).message}`;
    throw new GatewayError("INTEGRATION_FAILURE", reason);
  }
}

async function* prepend(bytes: Uint8Array, stream: ReadableStream<Uint8Array>) {
  if (bytes.length > 0) yield bytes;
  yield* stream;
}

/**
 * Makes the HTTP response of an invocation. Throws a {@linkcode GatewayError} if the function failed or its result is malformed.
 *
 * @param adapt Changes a result that is not a stream.
 */
export async function replyOf(
  outcome: InvokeOutcome | StreamedResponse,
  gateway: "rest" | "http" | "url",
  adapt: (result: unknown) => unknown = (result) => result,
): Promise<Reply> {
  const result = "prelude" in outcome
    ? headOf(outcome, gateway)
    : adapt(resultOf(outcome, gateway));
  try {
    const response = proxyResponse(result, { gateway });
    return {
      status: response.status,
      headers: [...response.headers],
      body: "prelude" in outcome ? outcome.body : await response.bytes(),
    };
  } catch (error) {
    const answer = error instanceof SyntaxError ? "API_CONFIGURATION_ERROR" : "INTEGRATION_FAILURE";
    throw new GatewayError(answer, (error as Error).message);
  }
}

/** Parses the result of a function. If the function timed out, the answer is 502. */
function resultOf(
  { failure, payload, isStream }: InvokeOutcome,
  gateway: "rest" | "http" | "url",
): unknown {
  if (failure !== undefined) {
    throw new GatewayError("INTEGRATION_FAILURE", `the function failed (${failure})`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch (error) {
    const place = gateway === "rest" ? "route" : "url";
    const reason = isStream
      ? `the handler streams: set "stream": true on this ${place} in the manifest`
      : `Malformed Lambda proxy response: ${(error as Error).message}`;
    throw new GatewayError("INTEGRATION_FAILURE", reason);
  }
}

/** Makes a result, without a body, of the prelude of a stream. A REST API expects cookies among the other headers. */
function headOf({ prelude }: StreamedResponse, gateway: "rest" | "http" | "url"): unknown {
  if (gateway === "url") return { statusCode: 200, ...prelude };
  const { cookies, multiValueHeaders, ...head } = prelude;
  const fields = {
    ...Object(multiValueHeaders),
    ...(cookies === undefined ? {} : { "Set-Cookie": cookies }),
  };
  return { ...head, multiValueHeaders: fields };
}
