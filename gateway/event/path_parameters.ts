import type { FnEvent } from "../../function/event.ts";
import { HttpNotFoundError } from "../errors/client_errors.ts";
import { percentDecode, readMap } from "./formats/entries.ts";
import { formatOf } from "./formats/recognise.ts";

const matched = new WeakMap<FnEvent, Record<string, string>>();

/** Gives an event the decoded parameters of a route that the function itself matched. */
export function setPathParameters(event: FnEvent, parameters: Record<string, string>): void {
  matched.set(event, parameters);
}

/**
 * Reads the parameters of the path and decodes them, unless the gateway decoded them.
 *
 * @throws {HttpNotFoundError} If a parameter has a malformed escape.
 */
export function readPathParameters(event: FnEvent): Record<string, string> {
  const known = matched.get(event);
  if (known !== undefined) return known;
  const isDecoded = formatOf(event.rawEvent).isPathDecoded?.(event.rawEvent);
  const entries = readMap(event.rawEvent, "pathParameters", "texts") ?? [];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isDecoded ? value : decodePathPart(value)]),
  );
}

/**
 * Percent-decodes a part of a path.
 *
 * @throws {HttpNotFoundError} If it has a malformed escape, because no resource has this name.
 */
export function decodePathPart(part: string): string {
  const decoded = percentDecode(part);
  if (decoded === undefined) throw new HttpNotFoundError();
  return decoded;
}
