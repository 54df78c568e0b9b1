import { assertEquals, assertThrows } from "@std/assert";
import * as z from "zod";
import { refuse } from "../testdata/accessors.ts";
import { rule, schedule, topic } from "../testdata/service_events.ts";
import { FnBridgePutEvent } from "./event.ts";

const ACCESSORS = [
  ["source", "source", "aws.events"],
  ["detailType", "detail-type", "Scheduled Event"],
  ["detail", "detail", {}],
  ["id", "id", "53c1d2a0-7b7e-4b0f-9a55-0d5c6a3f8e21"],
  ["account", "account", "123456789012"],
  ["region", "region", "eu-central-1"],
  ["resources", "resources", ["arn:aws:events:eu-central-1:123456789012:rule/every-five-minutes"]],
  ["time", "time", new Date("2026-03-01T09:05:00Z")],
  ["version", "version", "0"],
] as const;

Deno.test("every accessor reads its key, and names the key if it is absent or malformed", () => {
  for (const [name, key, expected] of ACCESSORS) {
    const read = (raw: object) => new FnBridgePutEvent(raw)[name]();
    assertEquals<unknown>(read(rule), expected);
    assertEquals(refuse(() => read({})).message, `Cannot read the event: "${key}" is absent`);
    for (const value of key === "detail" ? [] : [null, 5, {}]) {
      assertEquals(refuse(() => read({ [key]: value })).path, key);
    }
  }
});

Deno.test("FnBridgePutEvent reads the event of EventBridge Scheduler, whose detail is a string", () => {
  const event = new FnBridgePutEvent(schedule);
  assertEquals(event.source(), "aws.scheduler");
  assertEquals(event.detail(), {});
  assertEquals(event.rawEvent.detail, "{}", "the raw event is unchanged");
});

Deno.test("detail() returns any JSON value and parses a string", () => {
  const cases = [
    [null, null],
    [7, 7],
    [false, false],
    [["a"], ["a"]],
    ["null", null],
    ['"text"', "text"],
    [' {"a": [1]} ', { a: [1] }],
  ] as const;
  for (const [detail, expected] of cases) {
    assertEquals<unknown>(new FnBridgePutEvent({ detail }).detail(), expected);
  }
});

Deno.test("detail() refuses a string that is not JSON and does not show it", () => {
  const { message, cause } = refuse(() => new FnBridgePutEvent({ detail: "secret" }).detail());
  assertEquals(message, 'Cannot read the event: "detail" is not JSON (RFC 8259)');
  assertEquals(cause, undefined);
});

Deno.test("detail() validates the content, and names the key that the schema refuses", () => {
  const event = new FnBridgePutEvent({ detail: { id: "x" } });
  assertEquals(event.detail(z.object({ id: z.string() })).id, "x");
  assertEquals(refuse(() => event.detail(z.object({ id: z.number() }))).path, "detail.id");
});

Deno.test("resources() names the item that is not a string", () => {
  const event = new FnBridgePutEvent({ resources: ["a", 5] });
  assertEquals(refuse(() => event.resources()).path, "resources[1]");
});

Deno.test("FnBridgePutEvent refuses a target's own input, and an event of Amazon SNS", () => {
  for (const raw of [{ job: "cleanup" }, topic]) {
    refuse(() => new FnBridgePutEvent(raw).source());
  }
  assertThrows(() => new FnBridgePutEvent("cleanup"), TypeError);
});
