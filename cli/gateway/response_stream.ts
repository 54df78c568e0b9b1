import { EventStreamCodec } from "@smithy/eventstream-codec";
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { FunctionHost, InvokeOptions } from "../lambda/function_host.ts";
import type { Reply } from "../lambda/http.ts";

const CODEC = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

/**
 * Invokes a function and sends each part of its result at once, in the event stream of InvokeWithResponseStream.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_InvokeWithResponseStream.html
 */
export function invokeWithResponseStream(
  host: FunctionHost,
  name: string,
  payload: Uint8Array,
  options: InvokeOptions,
  hasLog: boolean,
): Reply {
  const requestId = randomUUID();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = (type: string, contentType: string, body: Uint8Array) =>
    writer.write(CODEC.encode({
      headers: {
        ":message-type": { type: "string", value: "event" },
        ":event-type": { type: "string", value: type },
        ":content-type": { type: "string", value: contentType },
      },
      body,
    }));
  const writeChunk = (bytes: Uint8Array) =>
    write("PayloadChunk", "application/octet-stream", bytes);
  const run = async () => {
    const stream = () => new WritableStream({ write: writeChunk });
    const outcome = await host.invoke(name, payload, { ...options, requestId, stream });
    const { failure, logTail } = outcome;
    if (failure === undefined && outcome.payload.length > 0) await writeChunk(outcome.payload);
    const complete = {
      ...(failure && {
        ErrorCode: "Unhandled",
        ErrorDetails: Buffer.from(outcome.payload).toString(),
      }),
      ...(hasLog && { LogResult: Buffer.from(logTail).toString("base64") }),
    };
    await write("InvokeComplete", "application/json", Buffer.from(JSON.stringify(complete)));
    await writer.close();
  };
  run().catch((error) => writer.abort(error).catch(() => {})); // The client is gone, or the host rejected.
  const headers = [
    ["Content-Type", "application/vnd.amazon.eventstream"],
    ["X-Amz-Executed-Version", "$LATEST"],
    ["x-amzn-RequestId", requestId],
  ] as const;
  return { status: 200, headers, body: readable };
}
