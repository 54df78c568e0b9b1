import { Buffer } from "node:buffer";

/** A response of the platform's own endpoints, ready to be sent. */
export interface Reply {
  /** The status code. */
  readonly status: number;
  /** The headers; a name may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body. */
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
}

/** A response that is JSON. */
export function jsonReply(status: number, value: unknown, headers: Reply["headers"] = []): Reply {
  return {
    status,
    headers: [["Content-Type", "application/json"], ...headers],
    body: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
  };
}

/** A response without a body. */
export function emptyReply(status: number, headers: Reply["headers"] = []): Reply {
  return { status, headers, body: new Uint8Array() };
}

/** A response that says what was wrong. */
export function errorReply(
  status: number,
  message: string,
  headers: Reply["headers"] = [],
): Reply {
  return jsonReply(status, { message }, headers);
}
