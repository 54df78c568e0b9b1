import { Buffer } from "node:buffer";
import type { FunctionHost, InvokeOptions, InvokeOutcome } from "../function_host.ts";
import { gatewayRefusal } from "./errors.ts";

/** The response of a function that streams it. */
export interface StreamedResponse {
  /** The status, header fields and cookies, as the function sent them. */
  readonly prelude: Readonly<Record<string, unknown>>;
  readonly body: ReadableStream<Uint8Array>;
}

const HTTP_TYPE = "application/vnd.awslambda.http-integration-response";

/** The NUL bytes between the prelude and the body. */
const DELIMITER = 8;

/**
 * Invokes a function that may stream its response.
 *
 * @returns The response as soon as its prelude is there; the outcome if the function does not stream.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html
 */
export async function invokeStreaming(
  host: FunctionHost,
  name: string,
  payload: Uint8Array,
  options: InvokeOptions,
): Promise<InvokeOutcome | StreamedResponse> {
  const { promise: opened, resolve } = Promise.withResolvers<StreamedResponse>();
  let isOpen = false;
  const stream = (contentType: string) => {
    isOpen = true;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    resolve(readResponse(contentType, readable));
    return writable;
  };
  const outcome = host.invoke(name, payload, { ...options, stream });
  const ended = async (): Promise<InvokeOutcome | StreamedResponse> => {
    const value = await outcome;
    return isOpen ? await opened : value;
  };
  return await Promise.race([opened, ended()]);
}

async function readResponse(
  contentType: string,
  stream: ReadableStream<Uint8Array>,
): Promise<StreamedResponse> {
  if (contentType !== HTTP_TYPE) {
    return { prelude: { headers: { "content-type": contentType } }, body: stream };
  }
  const reader = stream.getReader();
  for (let bytes = new Uint8Array();;) {
    const { value, done } = await reader.read();
    if (done) throw gatewayRefusal("INTEGRATION_FAILURE", "the stream ends within its prelude");
    bytes = Buffer.concat([bytes, value]);
    const end = findDelimiter(bytes);
    if (end < 0) continue;
    reader.releaseLock();
    const rest = bytes.subarray(end + DELIMITER);
    return { prelude: parsePrelude(bytes.subarray(0, end)), body: prepend(rest, stream) };
  }
}

function findDelimiter(bytes: Uint8Array): number {
  let zeros = 0;
  for (const [index, byte] of bytes.entries()) {
    zeros = byte === 0 ? zeros + 1 : 0;
    if (zeros === DELIMITER) return index + 1 - DELIMITER;
  }
  return -1;
}

function parsePrelude(bytes: Uint8Array): Record<string, unknown> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    const reason = `the prelude of the stream is not JSON: ${(error as Error).message}`;
    throw gatewayRefusal("INTEGRATION_FAILURE", reason);
  }
}

function prepend(
  bytes: Uint8Array,
  stream: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const joined = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
    },
  });
  return stream.pipeThrough(joined);
}
