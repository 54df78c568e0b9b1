import type { JsonObject } from "./json.ts";
import { type Path, readString, specificationError } from "./read.ts";

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Parses a `date-time` of RFC 3339 §5.6; `undefined` for any other text.
 *
 * Digits beyond the millisecond are cut off. A leap second, which only ends a month in UTC (§5.7), is the
 * instant after it, for a `Date` knows none.
 */
export function parseDateTime(text: string): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Six;
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) {
    return undefined;
  }
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day); // Date.UTC() would take the year 99 for 1999
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === "-" ? -1 : 1);
  const millisecond = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  date.setUTCHours(hour, minute - offset, second, millisecond);
  return second < 60 || isStartOfMonth(date) ? date : undefined;
}

type Six = [number, number, number, number, number, number];

function isStartOfMonth(date: Date): boolean {
  return date.getUTCDate() === 1 && date.getUTCHours() === 0 && date.getUTCMinutes() === 0;
}

/**
 * Reads a time.
 *
 * @throws {CloudEventSpecificationError} If it is absent or no `date-time` of RFC 3339.
 */
export function readTime(root: JsonObject, path: Path): Date {
  const text = readString(root, path);
  const time = parseDateTime(text);
  if (time !== undefined) return time;
  const problem = `is ${JSON.stringify(text)}, not a date and time (RFC 3339)`;
  throw specificationError(path, path.length, problem);
}
