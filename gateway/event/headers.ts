import { wrongType } from "../../function/read.ts";
import type { JsonObject, JsonValue } from "../../function/mod.ts";

/**
 * Finds one header of a request without touching the others, in time linear in the number of headers.
 *
 * @param headers The `headers` of an event.
 * @param name The name to find, in any case.
 * @returns The value; the values of names equal but for case, joined with `, ` (RFC 9110 §5.3);
 * `undefined` where there is none.
 * @throws {CloudEventSpecificationError} If a value is no string.
 */
export function findHeader(headers: JsonObject, name: string): string | undefined {
  const last = name.length - 1;
  const lastCode = name.charCodeAt(last) | 0x20;
  let folded: string | undefined;
  let found: string | undefined;
  for (const key of Object.keys(headers)) {
    // Folding case costs, so the last character has to be equal too, but for the bit that is its case.
    if (key.length !== name.length || (key.charCodeAt(last) | 0x20) !== lastCode) continue;
    if (key !== name && key.toLowerCase() !== (folded ??= name.toLowerCase())) continue;
    const value = headers[key] as JsonValue;
    if (typeof value !== "string") throw wrongType(["headers", key], value, "a string");
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}
