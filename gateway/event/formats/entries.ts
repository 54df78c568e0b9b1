import type { JsonObject } from "../../../function/json.ts";
import { isObject, own, readString, wrongType } from "../../../function/read.ts";
import type { Entries, Selection } from "./format.ts";

/**
 * Reads a map of headers or parameters.
 *
 * @param key The key of the map.
 * @param values The type of the values in the map.
 * @param isSelected Selects names in lower case. The values of the other names are not checked.
 * @returns The entries in order, or `undefined` if the map is absent or null.
 * @throws {CloudEventSpecificationError} If the map or a value is malformed.
 */
export function readMap(
  event: JsonObject,
  key: string,
  values: "texts" | "lists" | "texts or lists",
  isSelected: Selection = () => true,
): Entries | undefined {
  const map = own(event, key) ?? null;
  if (map === null) return undefined;
  if (!isObject(map)) throw wrongType([key], map, "an object or null");
  const names = Object.keys(map).filter((name) => isSelected(name.toLowerCase()));
  return names.flatMap((name) => {
    const value = map[name];
    if (values === "lists" && !Array.isArray(value)) {
      throw wrongType([key, name], value, "an array");
    }
    if (values === "texts" || !Array.isArray(value)) {
      return [[name, readString(event, [key, name])]];
    }
    return value.map((_, index) => [name, readString(event, [key, name, index])] as const);
  });
}

/** Parses a query as `application/x-www-form-urlencoded`. */
export function parseQuery(query: string): Entries {
  return query.split("&").filter((part) => part !== "").map((part) => {
    const end = part.indexOf("=");
    return end < 0
      ? [decodeForm(part), ""]
      : [decodeForm(part.slice(0, end)), decodeForm(part.slice(end + 1))];
  });
}

/** Decodes a form-encoded text. A text with a malformed escape stays as it is. */
export function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
