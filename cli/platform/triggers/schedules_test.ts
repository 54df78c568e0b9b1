import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { MANIFEST, startTestPlatform, TestHost } from "../../testdata/platform.ts";
import { AsyncInvocations } from "../invoke/async_invocations.ts";
import { Log } from "../log.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import { createScheduledEvent, readRate, Schedules, type Timers } from "./schedules.ts";

Deno.test("readRate() reads minutes, hours and days", async (t) => {
  for (
    const [rate, milliseconds] of [
      ["rate(1 minute)", 60_000],
      ["rate(5 minutes)", 300_000],
      ["rate(1 hour)", 3_600_000],
      ["rate(2 hours)", 7_200_000],
      ["rate(1 day)", 86_400_000],
      ["rate(30 days)", 2_592_000_000],
    ] as const
  ) {
    await t.step(`${rate}`, () => {
      assertEquals(readRate(rate), milliseconds);
    });
  }
});

Deno.test("readRate() refuses other expressions", () => {
  const error = assertThrows(() => readRate("cron(0 12 * * ? *)"), RangeError);
  assertEquals(
    error.message,
    'Cannot read the rate "cron(0 12 * * ? *)": expected one such as rate(5 minutes)',
  );
});

Deno.test("createScheduledEvent() makes the event of a rule", () => {
  const { id, ...event } = createScheduledEvent("app-clock", new Date("2026-03-01T12:00:00.789Z"));
  assertMatch(id as string, /^[0-9a-f-]{36}$/);
  assertEquals(event, {
    version: "0",
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: "000000000000",
    time: "2026-03-01T12:00:00Z",
    region: "us-east-1",
    resources: ["arn:aws:events:us-east-1:000000000000:rule/app-clock"],
    detail: {},
  });
});

Deno.test("a schedule fires on demand, and only by POST", async () => {
  await using test = await startTestPlatform();
  const response = await test.send({ method: "POST", path: "/schedules/clock" });
  assertEquals(response.status, 202);
  await test.platform.settled();
  const [call] = test.host.calls;
  assertEquals(call!.name, "clock");
  assertEquals(call!.event["detail-type"], "Scheduled Event");
  assertEquals(call!.options.requestId, JSON.parse(response.text).RequestId);

  const refused = await test.send({ path: "/schedules/clock" });
  assertEquals([refused.status, refused.header("Allow")], [405, "POST"]);
  for (const path of ["/schedules/plain", "/schedules/nope", "/schedules", "/schedules/clock/x"]) {
    assertEquals((await test.send({ method: "POST", path })).status, 404, path);
  }
  assertEquals(test.host.calls.length, 1);
});

/** Time that passes when it is told to. */
class TestTimers implements Timers {
  waiting: { callback: () => void; milliseconds: number }[] = [];

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
    callback();
    return milliseconds;
  }
}

Deno.test("Schedules fires by itself after each interval, until it is disposed of", async () => {
  const host = new TestHost(() => "{}");
  const timers = new TestTimers();
  using invocations = new AsyncInvocations({ host, log: new Log() });
  const schedules = new Schedules(MANIFEST, invocations, timers);
  assertEquals(timers.next(), 60_000);
  assertEquals(timers.next(), 60_000);
  await invocations.settled();
  assertEquals(host.calls.map(({ name }) => name), ["clock", "clock"]);
  schedules[Symbol.dispose]();
  assertEquals(timers.waiting, []);
});

Deno.test("Schedules waits longer than one timer can", async () => {
  const functions = { f: { module: "f.ts", triggers: { schedules: ["rate(30 days)"] } } };
  const text = JSON.stringify({ name: "app", stage: "v0", functions });
  const host = new TestHost(() => "{}");
  const timers = new TestTimers();
  using invocations = new AsyncInvocations({ host, log: new Log() });
  using _schedules = new Schedules(parseManifest(text, "app.json"), invocations, timers);
  assertEquals(timers.next(), 2_147_483_647);
  await invocations.settled();
  assertEquals(host.calls.length, 0);
  assertEquals(timers.next(), 2_592_000_000 - 2_147_483_647);
  await invocations.settled();
  assertEquals(host.calls.length, 1);
  assertEquals(timers.waiting[0]!.milliseconds, 2_147_483_647);
});
