/** The changes of tables, as functions get them. The items are written by the client of the AWS SDK. */
import { assert, assertEquals } from "@std/assert";
import "zod"; // a peer of the parser of Powertools
import { DynamoDBStreamSchema } from "@aws-lambda-powertools/parser/schemas";
import { logger } from "@mate/core/logger";
import { FnTableEvent, FnTableRecord, tableHandler } from "@mate/core/table";
import type { Call } from "../testdata/platform.ts";
import { shopWith, startWithTables } from "../aws/dynamodb/testdata/platform.ts";
import { temporaryFolder } from "../../testdata/programs.ts";

logger.level = "OFF";

const TABLES = { orders: { key: { id: "string" }, expires: "expiresAt" } };
const listening = (trigger: object = {}) =>
  shopWith(TABLES, {
    follower: { module: "a.ts", triggers: { tables: [{ name: "orders", ...trigger }] } },
  });

const TableName = "shop-orders";
const idsOf = ({ event }: Call) => [...new FnTableEvent(event)].map((record) => record.keys().id);
const numberOf = ({ event }: Call, index: number) =>
  new FnTableRecord(event, index).sequenceNumber();

/** Starts a platform whose function answers each call, and writes items with these ids at once. */
async function deliver(
  ids: readonly string[],
  answer: (call: Call) => string | { failure: "error" },
  trigger: object = {},
) {
  await using test = await startWithTables(listening(trigger), { answer });
  const items = ids.map((id) => ({ PutRequest: { Item: { id } } }));
  await test.documents.batchWrite({ RequestItems: { [TableName]: items } });
  await test.platform.settled();
  const QueueName = "shop-follower-orders-dead-letters";
  const letters = await test.deadLetters(QueueName);
  const records = test.log.after(0).map(({ text }) => text);
  return { batches: test.host.calls.map(idsOf), letters, records };
}

Deno.test("a function gets the changes of a table in their order, as the service sends them", async () => {
  await using test = await startWithTables(listening());
  const { documents, platform, host } = test;
  const Item = { id: "1", tags: new Set(["a", "b"]), big: 2n ** 60n, digest: new Uint8Array([1]) };
  await documents.put({ TableName, Item });
  await documents.put({ TableName, Item }); // changes nothing
  await documents.update({
    TableName,
    Key: { id: "1" },
    UpdateExpression: "REMOVE big SET price = :p",
    ExpressionAttributeValues: { ":p": 12.5 },
  });
  await documents.delete({ TableName, Key: { id: "1" } });
  await platform.settled();
  const events = host.calls.map(({ event }) => event);
  for (const event of events) DynamoDBStreamSchema.parse(event);
  const records = events.flatMap((event) => [...new FnTableEvent(event)]);
  const { big: _, ...rest } = Item;
  const changed = { ...rest, price: 12.5 };
  assertEquals(
    records.map((record) => [record.eventName(), record.oldImage(), record.newImage()] as unknown),
    [["INSERT", null, Item], ["MODIFY", Item, changed], ["REMOVE", changed, null]],
  );
  const [first] = records;
  assertEquals(first!.tableName(), TableName);
  assertEquals([first!.region(), first!.viewType()], ["us-east-1", "NEW_AND_OLD_IMAGES"]);
  assert(
    /^arn:aws:dynamodb:us-east-1:000000000000:table\/shop-orders\/stream\/\d{4}-/.test(
      first!.streamArn(),
    ),
  );
  const numbers = records.map((record) => BigInt(record.sequenceNumber()));
  assert(numbers.every((number, index) => index === 0 || number > numbers[index - 1]!));
  assertEquals(new Set(records.map((record) => record.eventId())).size, 3);
  assert(Math.abs(first!.changeTime().getTime() - Date.now()) < 60_000);
});

Deno.test("a function begins at the latest change", async () => {
  const data = temporaryFolder();
  for (const id of ["old", "new"]) {
    await using test = await startWithTables(listening(), { data });
    await test.documents.put({ TableName, Item: { id } });
    await test.platform.settled();
    assertEquals(test.host.calls.map(idsOf), [[id]]);
  }
});

Deno.test("a batch has at most as many changes as the trigger says", async () => {
  const { batches } = await deliver(["1", "2", "3", "4", "5"], () => "{}", { batch: 2 });
  assertEquals(batches, [["1", "2"], ["3", "4"], ["5"]]);
});

Deno.test("a window collects the changes of several writes", async () => {
  await using test = await startWithTables(listening({ window: 2 }));
  for (const id of ["1", "2"]) await test.documents.put({ TableName, Item: { id } });
  await test.platform.settled();
  assertEquals(test.host.calls.map(idsOf), [["1", "2"]]);
});

Deno.test("a function gets only the changes that match the filter of its trigger", async () => {
  const filter = { eventName: ["INSERT"], dynamodb: { Keys: { id: { S: [{ prefix: "a" }] } } } };
  const { batches } = await deliver(["b1", "a1", "b2", "a2"], () => "{}", { filter });
  assertEquals(batches, [["a1", "a2"]]);
});

Deno.test("a batch comes again from the first change that failed", async () => {
  const done: unknown[] = [];
  const handler = tableHandler((record) => {
    const { id } = record.keys();
    if (id === "3" && !done.includes("failed")) {
      done.push("failed");
      throw new Error("not yet");
    }
    done.push(id);
  });
  await using test = await startWithTables(listening(), {
    answer: async ({ event }) => JSON.stringify(await handler(event)),
  });
  const Items = ["1", "2", "3", "4"].map((id) => ({ PutRequest: { Item: { id } } }));
  await test.documents.batchWrite({ RequestItems: { [TableName]: Items } });
  await test.platform.settled();
  assertEquals(test.host.calls.map(idsOf), [["1", "2", "3", "4"], ["3", "4"]]);
  assertEquals(done, ["1", "2", "failed", "3", "4"]);
});

Deno.test("a batch that fails whole is halved, and a change that always fails goes to the dead-letter queue", async () => {
  const { batches, letters, records } = await deliver(
    ["1", "2", "3", "4"],
    (call) => idsOf(call).includes("3") ? { failure: "error" } : "{}",
    { retries: 1 },
  );
  assertEquals(batches, [["1", "2", "3", "4"], ["1", "2"], ["3", "4"], ["3"], ["3"], ["4"]]);
  assertEquals(letters.length, 1, "the record itself is not in the letter");
  const { requestContext, responseContext, DDBStreamBatchInfo: batch } = letters[0];
  const { functionArn, condition, approximateInvokeCount } = requestContext;
  assertEquals([functionArn.split(":").at(-1), condition, approximateInvokeCount], [
    "shop-follower",
    "RetryAttemptsExhausted",
    2,
  ]);
  assertEquals(responseContext.functionError, "Unhandled");
  assertEquals([batch.batchSize, batch.startSequenceNumber], [1, batch.endSequenceNumber]);
  assert(records.some((text) => text.startsWith("Gave up the change ")), records.join("\n"));
});

Deno.test("a malformed result fails the whole batch", async () => {
  let count = 0;
  const answer = () => JSON.stringify(count++ === 0 ? { batchItemFailures: "all" } : null);
  const { batches, letters, records } = await deliver(["1"], answer);
  assertEquals([batches, letters], [[["1"], ["1"]], []]);
  assert(records.some((text) => text.startsWith("Malformed result")), records.join("\n"));
});

Deno.test("the lowest of several reported changes counts", async () => {
  const { batches } = await deliver(["1", "2", "3"], (call) => {
    const reported = idsOf(call).length === 3 ? [2, 1] : [];
    const batchItemFailures = reported.map((index) => ({ itemIdentifier: numberOf(call, index) }));
    return JSON.stringify({ batchItemFailures });
  });
  assertEquals(batches, [["1", "2", "3"], ["2", "3"]]);
});

Deno.test("an item whose time is over is removed by the service", async () => {
  await using test = await startWithTables(listening());
  const now = Math.floor(Date.now() / 1_000);
  const times = { old: now - 5, new: now + 600, text: "5", mistake: now - 6 * 365 * 86_400 };
  for (const [id, expiresAt] of Object.entries(times)) {
    await test.documents.put({ TableName, Item: { id, expiresAt } });
  }
  await test.platform.removeExpired();
  await test.documents.delete({ TableName, Key: { id: "new" } });
  await test.platform.settled();
  const removals = test.host.calls.flatMap(({ event }) => [...new FnTableEvent(event)])
    .filter((record) => record.eventName() === "REMOVE");
  assertEquals(removals.map((record) => [record.keys().id, record.isExpiry()]), [
    ["old", true],
    ["new", false],
  ]);
  const { Items = [] } = await test.documents.scan({ TableName });
  assertEquals(Items.map(({ id }) => id).sort(), ["mistake", "text"]);
});

Deno.test("two functions that listen to one table get every change", async () => {
  const triggers = { tables: [{ name: "orders" }] };
  const functions = { a: { module: "a.ts", triggers }, b: { module: "a.ts", triggers } };
  await using test = await startWithTables(shopWith(TABLES, functions));
  await test.documents.put({ TableName, Item: { id: "1" } });
  await test.platform.settled();
  assertEquals(test.host.calls.map(({ name }) => name).sort(), ["a", "b"]);
});
