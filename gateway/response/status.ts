import { quote } from "../../function/arguments.ts";

/** Whether a status is a whole number from the least one to 599. An answer has at least 200, an interim response 100. */
export function isStatus(status: unknown, least: number): boolean {
  return Number.isInteger(status) && least <= (status as number) && (status as number) <= 599;
}

/** Throws if a response cannot have this status. */
export function checkStatus(status: unknown, least: number): void {
  if (isStatus(status, least)) return;
  throw new RangeError(
    `Invalid status ${quote(status)}: expected a whole number from ${least} to 599`,
  );
}

/** Whether a response with this status has no content (RFC 9110 §15). */
export function isBodyless(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

/** Whether the header fields of a response describe a content: its own, or the one that the client has already. */
export function isDescribed(status: number): boolean {
  return !isBodyless(status) || status === 304;
}
