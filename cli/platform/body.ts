import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";

/**
 * Reads the body of a request.
 *
 * @returns The body. If it is over the limit, a part of it that is over the limit as well.
 * @throws {Error} If the client hangs up.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return new Uint8Array(limit + 1);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The request is not destroyed at the limit, because it is still answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return Buffer.concat(chunks);
}
