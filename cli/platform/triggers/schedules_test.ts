import { assertEquals } from "@std/assert";
import { LOCAL } from "../../application/arn.ts";
import { resolveApplication } from "../../application/resolve.ts";
import { MANIFEST, manifestWith, startTestPlatform, TestHost } from "../../testdata/platform.ts";
import { AsyncInvocations } from "../invoke/async_invocations.ts";
import { Log } from "../log.ts";
import { nextTime, Schedules } from "./schedules.ts";

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
  ] as const;
  for (const [expression, timezone, after, expected] of cases) {
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
  const { rules } = resolveApplication(MANIFEST, LOCAL);
  const rule = Object.keys(rules).find((name) => rules[name]!.function === "clock");
  assertEquals([call!.event["detail-type"], call!.event.resources], [
    "Scheduled Event",
    [`arn:aws:events:us-east-1:000000000000:rule/${rule}`],
  ]);
  assertEquals(call!.options.requestId, JSON.parse(response.text).RequestId);

  const refused = await test.send({ path: "/schedules/clock" });
  assertEquals([refused.status, refused.header("Allow")], [405, "POST"]);
  const cases = [
    ["/plain", 'The function "plain" has no schedule 0: it has none'],
    ["/nope", 'The application has no function "nope"'],
    ["", 'The application has no function ""'],
    ["/clock/1", 'The function "clock" has no schedule 1: the numbers begin with 0'],
    ["/clock/x", 'The function "clock" has no schedule x: the numbers begin with 0'],
  ];
  for (const [place, message] of cases) {
    const { status, text } = await test.send({ method: "POST", path: `/schedules${place}` });
    assertEquals([status, JSON.parse(text).message], [404, message]);
  }
  assertEquals(test.host.calls.length, 1);
});

/** Starts the schedules of a function, with timers that the test fires. */
function startSchedules(...schedules: unknown[]) {
  const { setTimeout, clearTimeout } = globalThis;
  const { now } = Date;
  let time = Date.parse("2026-11-22T12:00:00Z");
  Date.now = () => time;
  let timers: { readonly callback: () => void; readonly wait: number }[] = [];
  Object.assign(globalThis, {
    setTimeout(callback: () => void, wait: number) {
      const timer = { callback, wait };
      timers.push(timer);
      return timer;
    },
    clearTimeout: (timer: unknown) => timers = timers.filter((other) => other !== timer),
  });
  const manifest = manifestWith({ f: { module: "f.ts", triggers: { schedules } } });
  const host = new TestHost(() => "{}");
  const invocations = new AsyncInvocations(host, new Log());
  const application = resolveApplication(manifest, LOCAL);
  const started = new Schedules({ manifest, application, asyncInvocations: invocations });
  return {
    waiting: () => timers.map(({ wait }) => wait),
    /** Fires the timer. Returns all events that the function has got. */
    async fire() {
      const { callback, wait } = timers.pop()!;
      time += wait;
      callback();
      await invocations.settled();
      return host.calls.map(({ event }) => event);
    },
    application,
    [Symbol.dispose]() {
      started[Symbol.dispose]();
      Object.assign(globalThis, { setTimeout, clearTimeout });
      Date.now = now;
      assertEquals(timers, []);
    },
  };
}

Deno.test("Schedules fires at each time until it is disposed of", async () => {
  using schedules = startSchedules("rate(1 minute)");
  await schedules.fire();
  const events = await schedules.fire();
  assertEquals(events.map(({ time }) => time), ["2026-11-22T12:01:00Z", "2026-11-22T12:02:00Z"]);
  assertEquals(schedules.waiting(), [60_000]);
});

Deno.test("Schedules sends the input of a schedule in place of the event", async () => {
  const schedule = { expression: "cron(0 3 * * ? *)", timezone: "Europe/Paris" };
  using schedules = startSchedules({ ...schedule, input: { full: true } });
  assertEquals(schedules.waiting(), [14 * 3_600_000]);
  assertEquals(await schedules.fire(), [{ full: true }]);
  using empty = startSchedules({ ...schedule, input: null });
  assertEquals(await empty.fire(), [null]);
});

Deno.test("Schedules sends the event of EventBridge Scheduler if a schedule has a time zone", async () => {
  using schedules = startSchedules({
    expression: "cron(0 3 * * ? *)",
    timezone: "Europe/Paris",
  });
  const [name] = Object.keys(schedules.application.schedules);
  const [event] = await schedules.fire();
  assertEquals([event.source, event.detail, event.resources], [
    "aws.scheduler",
    "{}",
    [`arn:aws:scheduler:us-east-1:000000000000:schedule/default/${name}`],
  ]);
});

Deno.test("Schedules waits longer than one timer can", async () => {
  using schedules = startSchedules("rate(30 days)");
  assertEquals(await schedules.fire(), []);
  assertEquals(schedules.waiting(), [2_592_000_000 - 2_147_483_647]);
  assertEquals((await schedules.fire()).length, 1);
  assertEquals(schedules.waiting(), [2_147_483_647]);
});
