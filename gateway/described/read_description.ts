import { invalid, isPlainObject } from "../../function/arguments.ts";
import type { DescribedSchema, RouteDescription } from "./description.ts";

/** The parts of a request that a description has schemas of, in the order in which they are checked. */
const PARTS = ["path", "query", "headers", "body"] as const;

const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];
const TEXTS = ["summary", "description", "id"];

/** Finds the description of a key, and checks it. The message of the error names the key. */
export function readDescription(api: unknown, key: string): RouteDescription {
  if (!isPlainObject(api)) throw invalid("API", "a plain object", api);
  if (!Object.hasOwn(api, key)) {
    throw invalid(`route ${JSON.stringify(key)}`, "a key of the API");
  }
  const wrong = (part: string, expected: string, ...got: unknown[]) =>
    invalid(`description of ${JSON.stringify(key)}${part}`, expected, ...got);
  if (!METHODS.includes(key.split(" ", 1)[0]!)) {
    throw wrong("", `one exact method at the beginning of the key: ${METHODS.join(", ")}`);
  }
  const description = api[key];
  if (!isPlainObject(description)) throw wrong("", "a plain object", description);
  const { responses, tags } = description;
  const members = ["responses", ...PARTS, ...TEXTS, "tags"];
  const unknown = Object.keys(description).find((name) => !members.includes(name));
  if (unknown !== undefined) {
    throw wrong(`, ${JSON.stringify(unknown)}`, `one of ${members.join(", ")}`);
  }
  if (!isPlainObject(responses) || Object.keys(responses).length === 0) {
    throw wrong(", responses", "an object with a response by its status");
  }
  for (const [status, response] of Object.entries(responses)) {
    if (!/^[23]\d\d$/.test(status)) {
      throw wrong(`, responses, ${JSON.stringify(status)}`, "a status from 200 to 399");
    }
    const isEmpty = ["204", "205", "304"].includes(status);
    if (typeof response === "string" || (!isEmpty && isSchema(response))) continue;
    throw wrong(`, responses, ${status}`, `a sentence${isEmpty ? "" : " or a Standard Schema"}`);
  }
  for (const part of PARTS) {
    const schema = description[part];
    if (schema !== undefined && !isSchema(schema)) throw wrong(`, ${part}`, "a Standard Schema");
  }
  for (const name of TEXTS) {
    const text = description[name];
    if (text !== undefined && typeof text !== "string") throw wrong(`, ${name}`, "a string");
  }
  const areTags = Array.isArray(tags) && tags.every((tag) => typeof tag === "string");
  if (tags !== undefined && !areTags) throw wrong(", tags", "an array of strings");
  return description as unknown as RouteDescription;
}

function isSchema(value: unknown): value is DescribedSchema {
  // The schemas of ArkType are functions.
  return typeof (value as DescribedSchema | undefined)?.["~standard"]?.validate === "function";
}
