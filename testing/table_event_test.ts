import { assertEquals, assertThrows } from "@std/assert";
import { marshall } from "@aws-sdk/util-dynamodb";
import { FnTableEvent } from "../table/mod.ts";
import { type TableChangeInit, tableEvent } from "./mod.ts";

const readOne = (init: TableChangeInit) => new FnTableEvent(tableEvent([init])).records()[0]!;

Deno.test("tableEvent() takes the values of the accessors", () => {
  const init = {
    eventName: "MODIFY",
    keys: { customer: "ada", id: 7 },
    newImage: { customer: "ada", id: 7, tags: new Set(["a"]), big: 2n ** 60n },
    oldImage: { customer: "ada", id: 7 },
    viewType: "NEW_AND_OLD_IMAGES",
    sequenceNumber: "100",
    changeTime: new Date("2026-03-01T09:05:07.123Z"),
    eventId: "id-1",
    isExpiry: false,
    tableName: "orders",
    region: "us-east-1",
  } as const;
  const record = readOne(init) as unknown as Record<string, () => unknown>;
  for (const [name, value] of Object.entries(init)) {
    assertEquals(record[name]!(), value as unknown, name);
  }
  const streamArn = "arn:aws:dynamodb:us-east-2:0:table/t/stream/2026-03-01T09:05:07.123";
  const other = readOne({ streamArn });
  assertEquals([other.streamArn(), other.region(), other.tableName()], [
    streamArn,
    "us-east-2",
    "t",
  ]);
});

Deno.test("tableEvent() makes a realistic insertion, with rising sequence numbers", () => {
  const [first, second] = new FnTableEvent(tableEvent([{}, {}])).records();
  assertEquals([first!.eventName(), first!.oldImage()], ["INSERT", null]);
  assertEquals(first!.newImage(), { id: "order-1", item: "tea", count: 2 });
  assertEquals(first!.keys(), { id: "order-1" });
  assertEquals(BigInt(first!.sequenceNumber()) < BigInt(second!.sequenceNumber()), true);
});

Deno.test("tableEvent() makes the images that the kind of the change and the stream carry", () => {
  const keys = { id: "1" };
  const image = { count: 2, id: "1" };
  const cases: [TableChangeInit, string, unknown, unknown][] = [
    [{ keys }, "INSERT", keys, null],
    [{ newImage: image }, "INSERT", image, null],
    [{ oldImage: image }, "REMOVE", null, image],
    [{ newImage: image, oldImage: keys }, "MODIFY", image, keys],
    [{ keys, isExpiry: true }, "REMOVE", null, keys],
    [{ newImage: image, eventName: "MODIFY" }, "MODIFY", image, keys],
    [{ oldImage: image, eventName: "MODIFY" }, "MODIFY", keys, image],
    [{ keys, viewType: "KEYS_ONLY" }, "INSERT", null, null],
    [{ keys, eventName: "MODIFY", viewType: "NEW_IMAGE" }, "MODIFY", keys, null],
    [{ keys, eventName: "MODIFY", viewType: "OLD_IMAGE" }, "MODIFY", null, keys],
    [{ newImage: null, keys }, "INSERT", null, null],
  ];
  for (const [init, eventName, newImage, oldImage] of cases) {
    const record = readOne(init);
    const facts = [record.eventName(), record.keys(), record.newImage(), record.oldImage()];
    assertEquals(facts, [eventName, keys, newImage, oldImage], JSON.stringify(init));
    assertEquals(record.isExpiry(), init.isExpiry ?? false);
  }
  assertEquals(readOne({ newImage: { tags: [1], name: "tea" } }).keys(), { name: "tea" });
});

Deno.test("tableEvent() refuses what the AWS SDK refuses, and contradictions", () => {
  for (
    const value of [
      NaN,
      Infinity,
      2 ** 53,
      undefined,
      new Date(0),
      new Set(),
      new Set([true]),
      { deep: [undefined] },
    ]
  ) {
    assertThrows(() => marshall({ id: 1, value }), Error);
    const { message } = assertThrows(() => readOne({ newImage: { id: 1, value } }), TypeError);
    assertEquals(message.startsWith('Invalid value at "value'), true, message);
  }
  // `marshall()` takes the type of a set from its first member.
  assertThrows(() => readOne({ newImage: { id: 1, a: new Set(["a", 1]) } }), TypeError, "several");
  assertThrows(() => readOne({ newImage: { tags: [] } }), TypeError, "without a key");
  assertThrows(() => readOne({ isExpiry: true, eventName: "INSERT" }), TypeError, "expiry");
});
