import { assert, assertEquals, assertThrows } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { DynamoDBStreamSchema } from "@aws-lambda-powertools/parser/schemas";
import * as z from "zod";
import { checkAccessors, checkRecords, refuse, withKey } from "../testdata/accessors.ts";
import { change, expiry } from "../testdata/service_events.ts";
import { FnTableEvent, FnTableRecord } from "./mod.ts";

const { dynamodb } = change.Records[0]!;

const ACCESSORS = [
  ["eventName", "eventName", "MODIFY"],
  ["viewType", "dynamodb.StreamViewType", "NEW_AND_OLD_IMAGES"],
  ["sequenceNumber", "dynamodb.SequenceNumber", "4421584500000000017450439092"],
  [
    "changeTime",
    "dynamodb.ApproximateCreationDateTime",
    new Date("2026-03-01T09:05:07.123Z"),
  ],
  ["eventId", "eventID", "7de3041dd709b024af6f29e4fa13d34c"],
  ["tableName", "eventSourceARN", "orders"],
  ["streamArn", "eventSourceARN", change.Records[0]!.eventSourceARN],
  ["region", "awsRegion", "eu-central-1"],
] as const;

const withValue = (key: string, value?: unknown, raw: object = change) =>
  new FnTableEvent(withKey(raw, `Records.0.${key}`, value)).records()[0]!;

Deno.test("every accessor reads its key, and names the key if it is malformed", () => {
  checkAccessors(FnTableEvent, change, ACCESSORS);
  checkRecords(FnTableEvent, FnTableRecord, change, "sequenceNumber");
  for (
    const [name, key, ...values] of [
      ["eventName", "eventName", "insert", "UPDATE", ""],
      ["viewType", "dynamodb.StreamViewType", "ALL", "keys_only"],
      ["sequenceNumber", "dynamodb.SequenceNumber", "", "1.5", "0x1", "-1", "1 "],
      ["changeTime", "dynamodb.ApproximateCreationDateTime", 1e300, -1e18],
      ["tableName", "eventSourceARN", "", "orders", "arn:aws:dynamodb:eu-central-1:1:table/"],
      ["tableName", "eventSourceARN", "arn:aws:sqs:eu-central-1:123456789012:jobs"],
    ] as const
  ) {
    for (const value of values) {
      const error = refuse(() => withValue(key, value)[name]());
      assertEquals(error.path, `Records[0].${key}`, `${name} ${value}`);
    }
  }
});

/** The bytes of `B` and `BS` as other libraries leave them: base64. */
function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof Set) return new Set([...value].map(withBase64));
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withBase64(one)]));
}

Deno.test("keys() are plain values, and must be an object", () => {
  assertEquals(new FnTableRecord(change).keys(), { customer: "ada", id: 101 });
  for (const value of [undefined, null, true, ["x"]]) {
    const error = refuse(() => withValue("dynamodb.Keys", value).keys());
    assertEquals(error.path, "Records[0].dynamodb.Keys");
  }
});

Deno.test("newImage() and oldImage() are null if the record has no such image, and only then", () => {
  const [record] = new FnTableEvent(change).records();
  assertEquals(withBase64(record!.newImage()), unmarshall(dynamodb.NewImage as never));
  assertEquals(record!.oldImage(), { customer: "ada", id: 101 });
  const schema = z.never();
  for (const [part, key] of [["newImage", "NewImage"], ["oldImage", "OldImage"]] as const) {
    const absent = withValue(`dynamodb.${key}`);
    assertEquals([absent[part](), absent[part](schema), absent.attributes(part)], [
      null,
      null,
      null,
    ]);
    for (const value of [null, [], "secret"]) {
      for (const read of [part, "attributes"] as const) {
        const error = refuse(() => withValue(`dynamodb.${key}`, value)[read](part as never));
        assertEquals(error.path, `Records[0].dynamodb.${key}`);
        const { path } = refuse(() => withValue("dynamodb", value)[read](part as never));
        assert(path.startsWith("Records[0].dynamodb"), path);
      }
    }
  }
});

Deno.test("keys() and the images return the output of a schema, and never quote what it refuses", () => {
  const [record] = new FnTableEvent(change).records();
  const schema = z.object({ id: z.number().transform((id) => `order ${id}`) });
  const ids: string[] = [record!.keys(schema).id, record!.newImage(schema)!.id];
  assertEquals([...ids, record!.oldImage(schema)!.id], Array(3).fill("order 101"));
  const { path, message } = refuse(() => record!.newImage(z.object({ note: z.literal("secret") })));
  assertEquals(path, "Records[0].dynamodb.NewImage.note");
  assert(!message.includes("secret"), message);
});

Deno.test("newImage() returns the output of the schema of the record, and validates once", () => {
  let count = 0;
  const schema = z.object({ price: z.number() }).transform(({ price }) => {
    count++;
    return price;
  });
  const record = new FnTableRecord(change, 0, schema);
  const price: number | null = record.newImage();
  assertEquals([price, record.newImage(), count], [12.5, 12.5, 1]);
  assertEquals(record.newImage(z.object({ paid: z.boolean() }))?.paid, false);
});

Deno.test("attributes() returns the attribute values as they were sent", () => {
  const [record] = new FnTableEvent(change).records();
  assertEquals(record!.attributes("keys"), dynamodb.Keys);
  assertEquals(record!.attributes("newImage"), dynamodb.NewImage as never);
  assertEquals(withValue("dynamodb.NewImage", { a: 5 }).attributes("newImage"), { a: 5 });
  assertEquals(refuse(() => withValue("dynamodb.Keys").attributes("keys")).path.slice(-4), "Keys");
  for (const name of ["NewImage", "__proto__", "constructor"]) {
    const { message } = assertThrows(() => record!.attributes(name as never), TypeError);
    assertEquals(message, `Invalid part "${name}": expected keys, newImage, oldImage`);
  }
});

Deno.test("isExpiry() is true only for a removal by the time to live", () => {
  const { userIdentity } = expiry.Records[0]!;
  const cases = [
    [userIdentity, true],
    [undefined, false],
    [null, false],
    [{ ...userIdentity, type: "User" }, false],
    [{ ...userIdentity, principalId: "arn:aws:iam::123456789012:user/ada" }, false],
    [{}, false],
  ] as const;
  for (const [identity, expected] of cases) {
    assertEquals(withValue("userIdentity", identity, expiry).isExpiry(), expected);
    assertEquals(withValue("userIdentity", identity).isExpiry(), false, "a change");
  }
  const { path } = refuse(() => withValue("userIdentity", "dynamodb", expiry).isExpiry());
  assertEquals(path, "Records[0].userIdentity");
});

Deno.test("the records are read as the parser of Powertools reads them", () => {
  for (const event of [change, expiry]) {
    const [theirs] = DynamoDBStreamSchema.parse(event).Records;
    const [ours] = new FnTableEvent(event).records();
    assertEquals(ours!.keys(), theirs!.dynamodb.Keys as never);
    assertEquals(withBase64(ours!.newImage()), theirs!.dynamodb.NewImage as never ?? null);
    assertEquals(ours!.oldImage(), theirs!.dynamodb.OldImage as never ?? null);
    assertEquals(ours!.eventName(), theirs!.eventName);
    assertEquals(ours!.isExpiry(), theirs!.userIdentity?.type === "Service");
  }
});

Deno.test("changeTime() is the millisecond that is nearest to the seconds", () => {
  // 1.001 * 1,000 is 1000.9999999999999, and `Date` cuts off what follows the point.
  for (
    const [seconds, time] of [[1.001, 1_001], [1480642020.235, 1480642020235], [4.0004, 4_000]]
  ) {
    const Records = [{ dynamodb: { ApproximateCreationDateTime: seconds } }];
    assertEquals(+new FnTableRecord({ Records }).changeTime(), time);
  }
});
