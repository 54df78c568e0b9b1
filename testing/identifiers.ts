import { encodeBase64 } from "../function/base64.ts";

/** The account of all events. */
export const ACCOUNT_ID = "123456789012";

/** The region of all events, unless a test gives another. */
export const REGION = "eu-central-1";

/** An identifier as Amazon API Gateway makes it: lower-case letters and digits. */
export function randomLetters(length: number): string {
  return Array.from(randomBytes(length), (byte) => (byte % 36).toString(36)).join("");
}

/** Random bytes as hexadecimal digits. */
export function randomHex(digits: number): string {
  return Array.from(randomBytes(digits), (byte) => (byte % 16).toString(16)).join("");
}

/** Random bytes in base64. */
export function randomBase64(length: number): string {
  return encodeBase64(randomBytes(length));
}

/** A new trace identifier of AWS X-Ray. */
export function createTraceId(time: Date): string {
  const seconds = Math.floor(time.getTime() / 1_000).toString(16).padStart(8, "0");
  return `Root=1-${seconds}-${randomHex(24)}`;
}

/** The members of an object whose values are neither `undefined` nor null. */
export function present<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  ) as { [K in keyof T]?: NonNullable<T[K]> };
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}
