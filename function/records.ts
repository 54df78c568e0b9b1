import type { JsonArray, JsonObject } from "./json.ts";
import { type Path, read, readOptional, specificationError, wrongType } from "./read.ts";

/**
 * The records of an event that is a batch of them; what they are is not looked at.
 *
 * @throws {CloudEventSpecificationError} If `Records` is absent or no array.
 */
export function recordsOf(event: JsonObject): JsonArray {
  const records = read(event, ["Records"]);
  if (!Array.isArray(records)) throw wrongType(["Records"], records, "an array");
  return records;
}

/**
 * The path of one record.
 *
 * @param event The event that holds the record.
 * @param index Which record; `undefined` for the only one.
 * @throws {CloudEventSpecificationError} If the index is omitted and there is not exactly one record.
 */
export function pathOfRecord(event: JsonObject, index: number | undefined): Path {
  const records = recordsOf(event);
  return ["Records", index ?? onlyIndex(records)];
}

/**
 * Refuses a record that says another service sent it, for keys of the same name may mean other things there.
 *
 * @throws {CloudEventSpecificationError} If it does, or is no object.
 */
export function checkSource(event: JsonObject, record: Path, service: "s3" | "sns"): void {
  for (const name of ["eventSource", "EventSource"]) {
    const path = [...record, name];
    const source = readOptional(event, path);
    // Services of other makers say "minio:s3" and the like.
    if (typeof source === "string" && !source.endsWith(`:${service}`)) {
      const problem = `is ${JSON.stringify(source)}, not "aws:${service}"`;
      throw specificationError(path, path.length, problem);
    }
  }
}

function onlyIndex({ length }: JsonArray): number {
  if (length === 1) return 0;
  const problem = `holds ${length === 0 ? "no record" : `${length} records`}: use records()`;
  throw specificationError(["Records"], 1, problem);
}
