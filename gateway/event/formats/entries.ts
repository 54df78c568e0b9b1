import type { JsonObject } from "../../../function/json.ts";
import { readOptionalObject, wrongType } from "../../../function/read.ts";
import type { Entries } from "./format.ts";

/**
 * Reads a map of headers or parameters.
 *
 * @param key The key of the map.
 * @param lists Whether the values in the map are lists of texts or texts; both unless given.
 * @param wanted A name in lower case. Entries of other names are left out and are not checked.
 * @returns The entries in order, or `undefined` if the map is absent or null.
 * @throws {CloudEventSpecificationError} If the map or a value is malformed.
 */
export function readMap(
  event: JsonObject,
  key: string,
  lists?: boolean,
  wanted?: string,
): Entries | undefined {
  const map = readOptionalObject(event, [key], 0);
  if (map === null) return undefined;
  const entries: [string, string][] = [];
  for (const name of Object.keys(map)) {
    // Comparing the length first takes half the time.
    if (wanted !== undefined && (name.length !== wanted.length || name.toLowerCase() !== wanted)) {
      continue;
    }
    const value = map[name];
    const isList = Array.isArray(value);
    if (isList !== (lists ?? isList)) {
      throw wrongType([key, name], value, isList ? "a string" : "an array");
    }
    const items = isList ? value : [value];
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (typeof item !== "string") {
        throw wrongType(isList ? [key, name, index] : [key, name], item, "a string");
      }
      entries.push([name, item]);
    }
  }
  return entries;
}

/** Reads a map of lists or, if the event does not have this map, a map of texts; see {@linkcode readMap}. */
export function readEither(
  event: JsonObject,
  lists: string,
  texts: string,
  wanted?: string,
): Entries {
  return readMap(event, lists, true, wanted) ?? readMap(event, texts, false, wanted) ?? [];
}

/** Parses a query as `application/x-www-form-urlencoded`. */
export function parseQuery(query: string): Entries {
  return Array.from(
    query.matchAll(/(?=[^&])([^=&]*)=?([^&]*)/g),
    ([, name, value]) => [decodeForm(name!), decodeForm(value!)],
  );
}

/** Decodes a form-encoded text. A text with a malformed escape stays as it is. */
export function decodeForm(text: string): string {
  return percentDecode(text.replaceAll("+", " ")) ?? text;
}

/** Percent-decodes a text as UTF-8. A text with a malformed escape gives `undefined`. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
