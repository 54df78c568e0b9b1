import { assertEquals } from "@std/assert";
import { manifestWith, startTestPlatform, TestHost } from "../../testdata/platform.ts";
import { AsyncInvocations } from "../invoke/async_invocations.ts";
import { Log } from "../log.ts";
import { nextTime, Schedules, type Timers } from "./schedules.ts";

Deno.test("nextTime() finds the next time of rates and of cron expressions in their time zone", () => {
  const sunday = "2026-11-22T12:00:00Z";
  for (
    const [expression, timezone, after, expected] of [
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
    ] as const
  ) {
    const next = nextTime({ expression, timezone }, Date.parse(after));
    const time = expected === undefined ? undefined : Date.parse(expected);
    assertEquals(next, time, `${expression} in ${timezone}`);
  }
});

Deno.test("a schedule fires on demand, and only by POST", async () => {
  await using test = await startTestPlatform();
  const response = await test.send({ method: "POST", path: "/schedules/clock" });
  assertEquals(response.status, 202);
  await test.platform.settled();
  const [call] = test.host.calls;
  assertEquals(call!.name, "clock");
  assertEquals([call!.event["detail-type"], call!.event.resources], [
    "Scheduled Event",
    ["arn:aws:events:us-east-1:000000000000:rule/app-clock"],
  ]);
  assertEquals(call!.options.requestId, JSON.parse(response.text).RequestId);

  const refused = await test.send({ path: "/schedules/clock" });
  assertEquals([refused.status, refused.header("Allow")], [405, "POST"]);
  for (
    const path of [
      "/schedules/plain",
      "/schedules/nope",
      "/schedules",
      "/schedules/clock/1",
      "/schedules/clock/x",
    ]
  ) {
    assertEquals((await test.send({ method: "POST", path })).status, 404, path);
  }
  assertEquals(test.host.calls.length, 1);
});

/** Time that passes on demand. */
class TestTimers implements Timers {
  waiting: { callback: () => void; milliseconds: number }[] = [];
  #now = Date.parse("2026-11-22T12:00:00Z");

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    const timer = { callback, milliseconds };
    this.waiting.push(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.waiting = this.waiting.filter((other) => other !== timer);
  }

  next(): number {
    const { callback, milliseconds } = this.waiting.shift()!;
    this.#now += milliseconds;
    callback();
    return milliseconds;
  }
}

/** The schedules of a function, with time that passes on demand. */
function startSchedules(...schedules: unknown[]) {
  const manifest = manifestWith({ f: { module: "f.ts", triggers: { schedules } } });
  const host = new TestHost(() => "{}");
  const timers = new TestTimers();
  const invocations = new AsyncInvocations(host, new Log());
  const started = new Schedules(manifest, invocations, timers);
  return { schedules: started, timers, invocations, host };
}

Deno.test("Schedules fires by itself at each time, until it is disposed of", async () => {
  const { schedules, timers, invocations, host } = startSchedules("rate(1 minute)");
  assertEquals([timers.next(), timers.next()], [60_000, 60_000]);
  await invocations.settled();
  assertEquals(host.calls.map(({ event }) => event.time), [
    "2026-11-22T12:01:00Z",
    "2026-11-22T12:02:00Z",
  ]);
  schedules[Symbol.dispose]();
  assertEquals(timers.waiting, []);
});

Deno.test("Schedules sends the input of a schedule in place of the event", async () => {
  const schedule = { expression: "cron(0 3 * * ? *)", timezone: "Europe/Paris" };
  const { timers, invocations, host } = startSchedules({ ...schedule, input: { full: true } });
  assertEquals(timers.next(), 14 * 3_600_000);
  await invocations.settled();
  assertEquals(host.calls.map(({ event }) => event), [{ full: true }]);
});

Deno.test("Schedules waits longer than one timer can", async () => {
  const { timers, invocations, host } = startSchedules("rate(30 days)");
  assertEquals(timers.next(), 2_147_483_647);
  await invocations.settled();
  assertEquals(host.calls.length, 0);
  assertEquals(timers.next(), 2_592_000_000 - 2_147_483_647);
  await invocations.settled();
  assertEquals(host.calls.length, 1);
  assertEquals(timers.waiting[0]!.milliseconds, 2_147_483_647);
});
