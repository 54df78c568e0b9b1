import type { IncomingMessage } from "node:http";

/** What became of a body. */
export interface ReadBody {
  /** The bytes, up to the limit. */
  readonly bytes: Uint8Array;
  /** How many bytes there were. */
  readonly size: number;
  /** Whether the connection broke before the end. */
  readonly isTruncated: boolean;
}

/**
 * Reads a body to its end; beyond the limit it is counted, but not kept.
 *
 * @param request The request.
 * @param limit The most bytes that are kept.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let isSettled = false;
    const settle = (isTruncated: boolean) => {
      if (isSettled) return;
      isSettled = true;
      resolve({ bytes: concat(chunks), size, isTruncated });
    };
    request.on("data", (chunk: Uint8Array) => {
      if (size + chunk.length <= limit) chunks.push(chunk);
      size += chunk.length;
    });
    request.on("end", () => settle(!request.complete));
    request.on("error", () => settle(true));
    request.on("close", () => settle(true));
  });
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
