/** Stand-in for `@std/encoding/base64` on `node:buffer`, for networks without JSR. */
import { Buffer } from "node:buffer";

export function encodeBase64(data: ArrayBuffer | Uint8Array | string): string {
  if (typeof data === "string") return Buffer.from(data, "utf8").toString("base64");
  return Buffer.from(data instanceof Uint8Array ? data : new Uint8Array(data)).toString("base64");
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "base64"));
}
