import { isObject, parseJson } from "../../rules/json_object.ts";

/**
 * Writes assertions of what is equal in two results. Identifiers and times differ, so nothing is said about them. JSON in a text is
 * compared as a value.
 *
 * @param path The expression of the value in the test.
 * @returns A line for each part, as large as it can be. If nothing is equal, there is none.
 */
export function assertionsOf(first: unknown, second: unknown, path: string): readonly string[] {
  if (JSON.stringify(first) === JSON.stringify(second)) {
    return [`assert.deepEqual(${path}, ${JSON.stringify(first, null, 2) ?? "undefined"});`];
  }
  if (typeof first === "string" && typeof second === "string") {
    const [one, other] = [parseJson(first), parseJson(second)];
    const areLists = Array.isArray(one) && Array.isArray(other);
    return isObject(one) && isObject(other) || areLists
      ? assertionsOf(one, other, `JSON.parse(${path})`)
      : [];
  }
  if (Array.isArray(first) && Array.isArray(second)) {
    const length = first.length === second.length
      ? [`assert.equal(${path}.length, ${first.length});`]
      : [];
    return [
      ...length,
      ...first.slice(0, second.length)
        .flatMap((one, index) => assertionsOf(one, second[index], `${path}[${index}]`)),
    ];
  }
  if (!isObject(first) || !isObject(second)) return [];
  return Object.keys(first).filter((key) => Object.hasOwn(second, key))
    .flatMap((key) => assertionsOf(first[key], second[key], path + accessOf(key)));
}

const accessOf = (key: string) =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
