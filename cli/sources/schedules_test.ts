import { assertEquals } from "@std/assert";
import { LOCAL } from "../rules/arn.ts";
import { resolveApplication } from "../application/resolve.ts";
import { MANIFEST, manifestWith, startTestPlatform, TestHost } from "../testdata/platform.ts";
import { AsyncInvocations } from "./async_invocations.ts";
import { Log } from "../lambda/log.ts";
import { Schedules } from "./schedules.ts";

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
  const started = new Schedules(application, invocations);
  return {
    waiting: () => timers.map(({ wait }) => wait),
    /** Fires the timer. Returns all events that the function has got. */
    async fire() {
      const { callback, wait } = timers.pop()!;
      time += wait;
      callback();
      while (invocations.isBusy) await Promise.resolve();
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
