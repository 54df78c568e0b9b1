import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { readTime } from "./rfc3339.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

const parse = (time: string) => readTime({ time }, ["time"]);

Deno.test("readTime() reads every date-time that a service sends", () => {
  for (
    const [text, iso] of [
      ["2026-03-01T09:05:00Z", "2026-03-01T09:05:00.000Z"],
      ["2026-03-01T09:05:00.5Z", "2026-03-01T09:05:00.500Z"],
      ["2026-03-01T09:05:00.123999999Z", "2026-03-01T09:05:00.123Z"],
      ["2026-03-01T00:05:00+01:30", "2026-02-28T22:35:00.000Z"],
      ["2026-12-31T23:05:00-01:00", "2027-01-01T00:05:00.000Z"],
      ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ]
  ) {
    assertEquals(parse(text!).toISOString(), iso, text);
  }
});

Deno.test("readTime() refuses every other text and quotes it", () => {
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
      "2026-03-01T09:05:00+0100",
      "2026-03-01T09:05:00+24:00",
      "2026-03-01T24:00:00Z",
      "2026-03-01T09:60:00Z",
      "2026-03-01T09:05:61Z",
      "2026-13-01T00:00:00Z",
      "2026-01-00T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "+002026-03-01T09:05:00Z",
      "٢٠٢٦-03-01T09:05:00Z",
      "1772355900",
    ]
  ) {
    const error = assertThrows(() => parse(text), CloudEventSpecificationError);
    assertEquals(
      error.message,
      `Cannot read the event: "time" is ${JSON.stringify(text)}, not a date and time (RFC 3339)`,
    );
  }
});

const pad = (value: number, length = 2) => String(value).padStart(length, "0");

Deno.test("readTime() reads exactly the days that each month has", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 9999 }),
    fc.integer({ min: 0, max: 99 }),
    fc.integer({ min: 0, max: 99 }),
    (year, month, day) => {
      const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
      const days = [0, 31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
      const text = `${pad(year, 4)}-${pad(month)}-${pad(day)}T12:00:00Z`;
      if (day >= 1 && day <= days) assertEquals(parse(text).getUTCDate(), day);
      else assertThrows(() => parse(text), CloudEventSpecificationError);
    },
  ));
});
