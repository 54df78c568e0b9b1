import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { parseDateTime, readTime } from "./rfc3339.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

for (
  const [text, iso] of [
    ["2026-03-01T09:05:00Z", "2026-03-01T09:05:00.000Z"],
    ["2026-03-01t09:05:00z", "2026-03-01T09:05:00.000Z"],
    ["2026-03-01T09:05:00.5Z", "2026-03-01T09:05:00.500Z"],
    ["2026-03-01T09:05:00.123999999Z", "2026-03-01T09:05:00.123Z"],
    ["2026-03-01T00:05:00+01:30", "2026-02-28T22:35:00.000Z"],
    ["2026-12-31T23:05:00-01:00", "2027-01-01T00:05:00.000Z"],
    ["2026-03-01T09:05:00-00:00", "2026-03-01T09:05:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
    ["0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000Z"],
    ["0099-12-31T23:59:59Z", "0099-12-31T23:59:59.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["0000-01-01T00:00:00+00:01", "-000001-12-31T23:59:00.000Z"],
    ["1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"],
    ["1990-12-31T15:59:60.25-08:00", "1991-01-01T00:00:00.250Z"],
    ["2016-06-30T23:59:60Z", "2016-07-01T00:00:00.000Z"],
  ]
) {
  Deno.test(`parseDateTime() takes ${text}`, () => {
    assertEquals(parseDateTime(text!)?.toISOString(), iso);
  });
}

for (
  const text of [
    "",
    "yesterday",
    "2026-03-01",
    "2026-03-01T09:05Z",
    "2026-03-01T09:05:00",
    "2026-03-01 09:05:00Z",
    " 2026-03-01T09:05:00Z",
    "2026-03-01T09:05:00Z\n",
    "2026-03-01T09:05:00.Z",
    "2026-03-01T09:05:00,5Z",
    "2026-03-01T09:05:00+0100",
    "2026-03-01T09:05:00+24:00",
    "2026-03-01T09:05:00+01:60",
    "2026-03-01T24:00:00Z",
    "2026-03-01T09:60:00Z",
    "2026-03-01T09:05:61Z",
    "2026-03-01T09:05:60Z",
    "2026-03-01T23:59:60Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "+002026-03-01T09:05:00Z",
    "٢٠٢٦-03-01T09:05:00Z",
    "1772355900",
  ]
) {
  Deno.test(`parseDateTime() refuses ${JSON.stringify(text)}`, () => {
    assertEquals(parseDateTime(text), undefined);
  });
}

const pad = (value: number, length = 2) => String(value).padStart(length, "0");

Deno.test("parseDateTime() agrees with Date on every real time, in any offset", () => {
  fc.assert(fc.property(
    fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9998-12-31T23:59:59Z"),
      noInvalidDate: true,
    }),
    fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
    (date, offset) => {
      assertEquals(parseDateTime(date.toISOString()), date);
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const minutes = Math.abs(offset);
      const zone = `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
      assertEquals(parseDateTime(local + zone), date);
    },
  ));
});

Deno.test("parseDateTime() takes exactly the days that each month has", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 9999 }),
    fc.integer({ min: 0, max: 99 }),
    fc.integer({ min: 0, max: 99 }),
    (year, month, day) => {
      const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
      const days = [0, 31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
      const parsed = parseDateTime(`${pad(year, 4)}-${pad(month)}-${pad(day)}T12:00:00Z`);
      assertEquals(parsed !== undefined, day >= 1 && day <= days);
    },
  ));
});

Deno.test("readTime() quotes what is no time", () => {
  const error = assertThrows(
    () => readTime({ time: 'no "time"' }, ["time"]),
    CloudEventSpecificationError,
  );
  assertEquals(
    error.message,
    'Cannot read the event: "time" is "no \\"time\\"", not a date and time (RFC 3339)',
  );
});
