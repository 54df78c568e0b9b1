import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { nextTime, scheduleProblem } from "./schedule.ts";

// The expressions that Amazon EventBridge accepts or refuses follow its documentation and its recorded answers.
Deno.test("nextTime() finds the next time of rates and of cron expressions in their time zone", () => {
  const sunday = "2026-11-22T12:00:00Z";
  const cases = [
    ["rate(1 minute)", "UTC", sunday, "2026-11-22T12:01:00Z"],
    ["rate(5 minutes)", "UTC", sunday, "2026-11-22T12:05:00Z"],
    ["rate(2 hours)", "UTC", sunday, "2026-11-22T14:00:00Z"],
    ["rate(30 days)", "UTC", sunday, "2026-12-22T12:00:00Z"],
    ["cron(0 10 * * ? *)", "UTC", sunday, "2026-11-23T10:00:00Z"],
    ["cron(0 12 * * ? *)", "UTC", sunday, "2026-11-23T12:00:00Z"],
    ["cron(0 3 * * ? *)", "Europe/Paris", sunday, "2026-11-23T02:00:00Z"],
    ["cron(0 3 * * ? *)", "Europe/Paris", "2026-06-01T12:00:00Z", "2026-06-02T01:00:00Z"],
    ["cron(0 18 ? * MON-FRI *)", "UTC", sunday, "2026-11-23T18:00:00Z"],
    ["cron(0 18 ? * 2-6 *)", "UTC", "2026-11-20T19:00:00Z", "2026-11-23T18:00:00Z"],
    ["cron(0 9 ? * 1 *)", "UTC", sunday, "2026-11-29T09:00:00Z"],
    ["cron(0 9 ? * L *)", "UTC", sunday, "2026-11-28T09:00:00Z"],
    ["cron(0 9 ? * 6L *)", "UTC", sunday, "2026-11-27T09:00:00Z"],
    ["cron(0 9 ? * 2#1 *)", "UTC", sunday, "2026-12-07T09:00:00Z"],
    ["cron(0 9 ? * MON#1 *)", "UTC", sunday, "2026-12-07T09:00:00Z"],
    ["cron(0 8 1 * ? *)", "UTC", sunday, "2026-12-01T08:00:00Z"],
    ["cron(0 9 L * ? *)", "UTC", sunday, "2026-11-30T09:00:00Z"],
    ["cron(0 9 15W * ? *)", "UTC", "2026-08-01T00:00:00Z", "2026-08-14T09:00:00Z"],
    ["cron(0 9 LW * ? *)", "UTC", "2026-10-01T00:00:00Z", "2026-10-30T09:00:00Z"],
    ["cron(0/15 * * * ? *)", "UTC", "2026-11-22T12:16:00Z", "2026-11-22T12:30:00Z"],
    ["cron(5/20,50 8-17 ? * * *)", "UTC", "2026-11-22T12:26:00Z", "2026-11-22T12:45:00Z"],
    ["cron(5/20,50 8-17 ? * * *)", "UTC", "2026-11-22T17:46:00Z", "2026-11-22T17:50:00Z"],
    ["cron(0 0 1 JAN,JUL ? *)", "UTC", sunday, "2027-01-01T00:00:00Z"],
    ["cron(0 0 1 1 ? 2030)", "UTC", sunday, "2030-01-01T00:00:00Z"],
    ["cron(0 0 1 1 ? 2020)", "UTC", sunday, undefined],
    ["cron(0 0 31 2 ? *)", "UTC", sunday, undefined],
    ["cron(0 22-4 * * ? *)", "UTC", "2026-11-22T12:00:00Z", "2026-11-22T22:00:00Z"],
    ["cron(0 22-4 * * ? *)", "UTC", "2026-11-22T23:30:00Z", "2026-11-23T00:00:00Z"],
    ["cron(0 22-4/3 * * ? *)", "UTC", "2026-11-22T22:00:00Z", "2026-11-23T01:00:00Z"],
    ["cron(0 22-4 * * ? *)", "UTC", "2026-11-22T04:00:00Z", "2026-11-22T22:00:00Z"],
    ["cron(0 0 ? * FRI-MON *)", "UTC", "2026-11-16T00:00:00Z", "2026-11-20T00:00:00Z"],
    ["cron(0 0 ? * FRI-MON *)", "UTC", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"],
    ["cron(0 0 1 NOV-FEB ? *)", "UTC", "2027-02-01T00:00:00Z", "2027-11-01T00:00:00Z"],
    ["cron(0 0 1 NOV-FEB ? *)", "UTC", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["cron(0 0 1 1 ? 2027/2)", "UTC", "2027-01-01T00:00:00Z", "2029-01-01T00:00:00Z"],
    ["cron(0 0 28-2 2 ? *)", "UTC", "2027-02-02T00:00:00Z", "2027-02-28T00:00:00Z"],
    // "When time shifts forward in the Spring, … your schedule invocation is skipped."
    ["cron(30 2 * * ? *)", "Europe/Paris", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"],
    // "When time shifts backwards in the Fall, your schedule runs only once."
    ["cron(0/30 2 * * ? *)", "Europe/Paris", "2026-10-25T00:30:00Z", "2026-10-26T01:00:00Z"],
    ["cron(45 1 * * ? *)", "Australia/Lord_Howe", "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"],
  ] as const;
  for (const [expression, timezone, after, expected] of cases) {
    const next = nextTime({ expression, timezone }, Date.parse(after));
    const time = expected === undefined ? undefined : Date.parse(expected);
    assertEquals(next, time, `${expression} in ${timezone}`);
  }
});

Deno.test("scheduleProblem() refuses what Amazon EventBridge does not document, and names the field", () => {
  const cases: [expression: string, problem: RegExp][] = [
    ["cron(0 0 ? * MON/2 *)", /^must have a day of the week such as .* in place of "MON\/2"$/],
    ["cron(0 0 ? * 6#3,2#1 *)", /^must have a day of the week such as .* in place of "6#3,2#1"$/],
    ["cron(0 0 ? * FRI,6L *)", /^must have a day of the week /],
    ["cron(0 0 ? * 6#6 *)", /^must have a day of the week /],
    ["cron(0 0 L,15 * ? *)", /^must have a day of the month such as .* in place of "L,15"$/],
    ["cron(0 0 32 * ? *)", /^must have a day of the month /],
    ["cron(0 0 1 1 ? 2030-2027)", /^must have a year such as 2026-2030 in place of "2030-2027"$/],
    ["cron(0 0 1 FEBR ? *)", /^must have a month /],
    ["cron(0 dummy ? * MON-FRI *)", /^must have an hour /],
    ["cron(0 24 * * ? *)", /^must have an hour /],
    ["cron(71 8 1 * ? *)", /^must have a minute such as 0\/15 in place of "71"$/],
    ["cron(0/60 8 1 * ? *)", /^must have a minute /],
    ["cron(0/0 8 1 * ? *)", /^must have a minute /],
    ["cron(1-2-3 8 1 * ? *)", /^must have a minute /],
    ["cron(0, 8 1 * ? *)", /^must have a minute /],
    ["cron(7 20 * * NOT *)", /^must have \? for one of its two days/],
    ["cron(0 3 * * ?)", /^must have six fields/],
    ["rate(1 minutes)", /singular/],
    ["rate(10 minute)", /plural/],
    ["rate(0 minutes)", /^must be a rate such as/],
    ["rate(-10 minutes)", /^must be a rate such as/],
    [" rate(10 minutes)", /^must be a rate such as/],
    ["rate(10 minutess)", /^must be a rate such as/],
  ];
  for (const [expression, problem] of cases) {
    assertMatch(scheduleProblem(expression) ?? "accepted", problem, expression);
  }
});

Deno.test("every expression that scheduleProblem() accepts has a next time or none, and fires at its hours", () => {
  const field = (min: number, max: number, ...others: string[]) => {
    const value = fc.integer({ min, max }).map(String);
    const joined = (sign: string) => fc.tuple(value, value).map((pair) => pair.join(sign));
    const part = fc.oneof(value, joined("-"), joined("/"));
    const parts = fc.array(part, { minLength: 1, maxLength: 3 }).map(String);
    return fc.oneof(parts, fc.constantFrom("*", ...others));
  };
  const expression = fc.tuple(
    field(0, 59),
    field(0, 23),
    field(1, 31, "?", "L", "LW", "15W"),
    field(1, 12, "NOV-FEB", "JUN"),
    field(1, 7, "?", "?", "L", "6L", "FRI#5", "FRI-MON"),
    field(2026, 2199),
  );
  const after = Date.parse("2026-11-22T12:00:00Z");
  let accepted = 0;
  fc.assert(
    fc.property(expression, (fields) => {
      const text = `cron(${fields.join(" ")})`;
      if (scheduleProblem(text) !== undefined) return;
      accepted++;
      const next = nextTime({ expression: text, timezone: "UTC" }, after);
      if (next === undefined) return;
      assertEquals(next > after && next % 60_000 === 0, true, text);
      const [, hour = ""] = fields;
      if (/^\d+$/.test(hour)) assertEquals(new Date(next).getUTCHours(), Number(hour), text);
    }),
    { numRuns: 3_000 },
  );
  assertEquals(accepted > 50, true, `${accepted} expressions were accepted`);
});
