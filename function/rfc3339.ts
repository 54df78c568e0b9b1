import type { JsonObject } from "./json.ts";
import { type Path, readString, specificationError } from "./read.ts";

const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a time as AWS services send it, a date-time of RFC 3339 section 5.6. Digits after the millisecond are cut off.
 *
 * @throws {CloudEventSpecificationError} If the key is absent or is not such a time.
 */
export function readTime(event: JsonObject, path: Path): Date {
  const text = readString(event, path);
  const local = DATE_TIME.exec(text)?.[1];
  const time = new Date(text);
  // `Date` reads 30 February as 2 March and 24:00 as the next day.
  const isReal = local !== undefined && !isNaN(+time) &&
    new Date(`${local}Z`).toISOString().startsWith(local);
  if (isReal) return time;
  throw specificationError(path, `is ${JSON.stringify(text)}, not a date and time (RFC 3339)`);
}
