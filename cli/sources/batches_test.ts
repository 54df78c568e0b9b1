import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { MAX_SYNC_EVENT } from "../rules/limits.ts";
import { Batch } from "./batches.ts";

Deno.test("Batch takes the records that fit into one event of AWS Lambda, and always the first", () => {
  const batch = new Batch();
  const sizeOf = (Records: object[]) => Buffer.byteLength(JSON.stringify({ Records }));
  const first = { a: "é" };
  const free = MAX_SYNC_EVENT - sizeOf([first, { b: "" }]);
  const added = [first, ...[1, 0].map((more) => ({ b: "x".repeat(free + more) })), {}]
    .map((record) => batch.add(record));
  assertEquals(added, [true, false, true, false]);
  assertEquals(sizeOf(batch.records), MAX_SYNC_EVENT);
  assertEquals(new Batch().add({ b: "x".repeat(MAX_SYNC_EVENT) }), true);
});
