import { assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { CloudEventSpecificationError } from "../function/mod.ts";
import { rule, schedule, topic } from "../testdata/service_events.ts";
import { FnBridgePutEvent } from "./event.ts";

Deno.test("FnBridgePutEvent reads the event of an EventBridge rule", () => {
  const event = new FnBridgePutEvent(rule);
  assertEquals(event.source(), "aws.events");
  assertEquals(event.detailType(), "Scheduled Event");
  assertEquals(event.detail(), {});
  assertEquals(event.id(), "53c1d2a0-7b7e-4b0f-9a55-0d5c6a3f8e21");
  assertEquals(event.account(), "123456789012");
  assertEquals(event.region(), "eu-central-1");
  assertEquals(event.resources(), [
    "arn:aws:events:eu-central-1:123456789012:rule/every-five-minutes",
  ]);
  assertEquals(event.time(), new Date("2026-03-01T09:05:00Z"));
  assertEquals(event.version(), "0");
});

Deno.test("FnBridgePutEvent reads the event of EventBridge Scheduler, whose detail is a string", () => {
  const event = new FnBridgePutEvent(schedule);
  assertEquals(event.source(), "aws.scheduler");
  assertEquals(event.detail(), {});
  assertEquals(event.rawEvent.detail, "{}", "the raw event is unchanged");
});

Deno.test("detail() returns any JSON value and parses a string", () => {
  for (
    const [detail, expected] of [
      [null, null],
      [7, 7],
      [false, false],
      [["a"], ["a"]],
      ["null", null],
      ['"text"', "text"],
      [' {"a": [1]} ', { a: [1] }],
    ] as const
  ) {
    assertEquals<unknown>(new FnBridgePutEvent({ detail }).detail(), expected);
  }
});

Deno.test("detail() refuses a string that is not JSON and does not show it", () => {
  for (const detail of ["", "secret text", "{secret: 1}", "NaN"]) {
    const error = assertThrows(
      () => new FnBridgePutEvent({ detail }).detail(),
      CloudEventSpecificationError,
    );
    assertEquals(error.message, 'Cannot read the event: "detail" is not JSON (RFC 8259)');
    assertEquals(error.cause, undefined);
  }
});

Deno.test("detail() validates the content, and names the key that the schema refuses", () => {
  const event = new FnBridgePutEvent({ detail: { id: "x" } });
  assertEquals(event.detail(z.object({ id: z.string() })).id, "x");
  const error = assertThrows(
    () => event.detail(z.object({ id: z.number() })),
    CloudEventSpecificationError,
  );
  assertEquals(error.path, "detail.id");
});

const ACCESSORS = {
  source: "source",
  detailType: "detail-type",
  detail: "detail",
  id: "id",
  account: "account",
  region: "region",
  resources: "resources",
  time: "time",
  version: "version",
} as const;

Deno.test("every accessor raises and names its key if the key is absent or malformed", () => {
  for (const [method, key] of Object.entries(ACCESSORS)) {
    const read = (raw: object) =>
      assertThrows(
        () => new FnBridgePutEvent(raw)[method as keyof typeof ACCESSORS](),
        CloudEventSpecificationError,
      );
    assertEquals(read({}).message, `Cannot read the event: "${key}" is absent`);
    for (const value of key === "detail" ? [] : [null, 5, {}]) {
      assertEquals(read({ [key]: value }).path, key);
    }
  }
});

Deno.test("resources() names the item that is not a string", () => {
  const error = assertThrows(
    () => new FnBridgePutEvent({ resources: ["a", 5] }).resources(),
    CloudEventSpecificationError,
  );
  assertEquals(error.path, "resources[1]");
});

Deno.test("FnBridgePutEvent raises for a target with its own input, and for an event of Amazon SNS", () => {
  for (const raw of [{ job: "cleanup" }, topic]) {
    assertThrows(() => new FnBridgePutEvent(raw).source(), CloudEventSpecificationError);
  }
  assertThrows(() => new FnBridgePutEvent("cleanup"), TypeError);
});
