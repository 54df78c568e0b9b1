import { assert, assertEquals, assertMatch } from "@std/assert";
import * as z from "zod";
import { runBatch, testOrderedBatches } from "../testdata/ordered_batches.ts";
import { tableEvent } from "../testing/mod.ts";
import { tableHandler } from "./mod.ts";

testOrderedBatches(
  "tableHandler",
  "change",
  "DynamoDBStreams",
  tableHandler,
  (records) => tableEvent(records.map((one) => ({ ...one, newImage: { id: "secret" } }))),
);

Deno.test("tableHandler() validates the new image of insertions and changes before the work", async () => {
  const schema = z.object({ count: z.string().transform(Number) });
  const counts: unknown[] = [];
  const handler = tableHandler((record) => {
    counts.push(record.newImage()?.count);
  }, { schema });
  const event = tableEvent([
    { newImage: { id: "1", count: "3" } },
    { oldImage: { id: "1" } },
    { keys: { id: "1" }, viewType: "KEYS_ONLY" },
    { newImage: { id: "1", count: "4" }, oldImage: { id: "1" } },
    { newImage: { id: "1", secret: "secret" }, sequenceNumber: "5" },
  ]);
  const { failures, log } = await runBatch(handler, event);
  assertEquals([counts, failures], [[3, undefined, undefined, 4], ["5"]]);
  assertMatch(String(log[0]!.errorMessage), /NewImage\.count" is refused by the schema$/);
  assert(!JSON.stringify(log).includes("secret"));
});

Deno.test("tableHandler() fails a change that cannot be read, when it is read", async () => {
  const event = tableEvent([{}, { sequenceNumber: "2" }]);
  Object.assign(event.Records[1]!.dynamodb, { NewImage: { id: { N: "secret" } } });
  const { failures, log } = await runBatch(tableHandler((record) => record.newImage()), event);
  assertEquals([failures, log.length], [["2"], 1]);
  assert(!JSON.stringify(log).includes("secret"));
  assertEquals((await runBatch(tableHandler(() => {}), event)).failures, []);
});
