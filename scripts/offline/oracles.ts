/**
 * Stand-ins for `@std/encoding`, `@std/http` and the types of `@deno/dnt`, for networks without JSR. They have only
 * the functions that the tests use, and the types that the build needs.
 */
import { Buffer } from "node:buffer";
import { STATUS_CODES } from "node:http";
// @ts-types="npm:@types/negotiator@0.6.5"
import Negotiator from "npm:negotiator@1.1.0";

export function encodeBase64(data: Uint8Array | string): string {
  return Buffer.from(data as string).toString("base64");
}

export const STATUS_TEXT = STATUS_CODES as Record<number, string>;

function negotiator(request: { headers: Headers }): Negotiator {
  return new Negotiator({ headers: Object.fromEntries(request.headers) });
}

export function accepts(request: { headers: Headers }, ...types: string[]): string | undefined {
  return negotiator(request).mediaType(types);
}

export function acceptsEncodings(request: { headers: Headers }): string[] {
  return negotiator(request).encodings();
}

export function acceptsLanguages(request: { headers: Headers }): string[] {
  return negotiator(request).languages();
}

// deno-lint-ignore no-explicit-any -- if JSR can be reached, the types of dnt check the options
export function build(_options: any): Promise<void> {
  throw new Error("Cannot load dnt: its registry cannot be reached");
}
