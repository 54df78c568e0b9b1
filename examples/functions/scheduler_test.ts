import { assertEquals, assertInstanceOf } from "@std/assert";
import { FnBridgePutEvent } from "@mate/core/scheduler";
import { CONTEXT, recordLog } from "./testdata/fixture.ts";
import { handler } from "./scheduler.ts";

const RULE = {
  version: "0",
  id: "8b0a3b1e-5d1f-4a53-b7c6-2f0d6a6a9d10",
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "123456789012",
  time: "2026-11-21T08:05:00Z",
  region: "eu-central-1",
  resources: ["arn:aws:events:eu-central-1:123456789012:rule/mate-example-scheduler"],
  detail: {},
};

Deno.test("scheduler logs every accessor and the raw event, under the request id", async () => {
  const { log } = await recordLog(() => handler(RULE, CONTEXT));
  assertEquals(log.length, 1);
  const { level, requestId, data } = log[0]!;
  assertEquals([level, requestId], ["INFO", CONTEXT.awsRequestId]);
  assertEquals(data, {
    accessors: {
      "source()": { result: "aws.events" },
      "detailType()": { result: "Scheduled Event" },
      "detail()": { result: {} },
      "id()": { result: RULE.id },
      "account()": { result: "123456789012" },
      "region()": { result: "eu-central-1" },
      "resources()": { result: RULE.resources },
      "time()": { result: "2026-11-21T08:05:00.000Z" },
      "version()": { result: "0" },
    },
    rawEvent: RULE,
  });
});

Deno.test("scheduler leaves out no accessor", async () => {
  const { log } = await recordLog(() => handler(RULE, CONTEXT));
  const { accessors } = log[0]!.data as { accessors: object };
  const methods = Object.getOwnPropertyNames(FnBridgePutEvent.prototype);
  assertEquals(
    Object.keys(accessors).sort(),
    methods.filter((name) => name !== "constructor").map((name) => `${name}()`).sort(),
  );
});

Deno.test("scheduler logs an input that is no event, with an error for each accessor", async () => {
  const { log } = await recordLog(() => handler({ order: 4711 }, CONTEXT));
  const { accessors, rawEvent } = log[0]!.data as { accessors: object; rawEvent: unknown };
  assertEquals(rawEvent, { order: 4711 });
  for (const outcome of Object.values(accessors)) assertEquals(Object.keys(outcome), ["error"]);
});

Deno.test("scheduler fails at an input that is no object", async () => {
  assertInstanceOf((await recordLog(() => handler("now", CONTEXT))).thrown, TypeError);
});
