import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { CloudEventSpecificationError, FnEvent } from "../function/mod.ts";
import put from "../testdata/storage_put.json" with { type: "json" };
import removed from "../testdata/storage_delete.json" with { type: "json" };
import testEvent from "../testdata/storage_test_event.json" with { type: "json" };
import topic from "../testdata/topic_message.json" with { type: "json" };
import { FnNotificationEvent, FnNotificationRecord } from "./mod.ts";

type Accessor = Exclude<keyof FnNotificationRecord, "rawEvent">;

/** Each accessor, the key it reads, and what it makes of the fixture. */
const ACCESSORS: [Accessor, string, unknown][] = [
  ["eventName", "eventName", "ObjectCreated:Put"],
  ["eventTime", "eventTime", new Date("2026-03-01T09:05:07.123Z")],
  ["region", "awsRegion", "eu-central-1"],
  ["bucketName", "s3.bucket.name", "shop-uploads"],
  ["bucketArn", "s3.bucket.arn", "arn:aws:s3:::shop-uploads"],
  ["objectKey", "s3.object.key", "pictures/red flower + café.jpg"],
  ["objectUrl", "s3.object.key", "s3://shop-uploads/pictures/red flower + café.jpg"],
  ["objectSize", "s3.object.size", 20480],
  ["objectEtag", "s3.object.eTag", "9b2cf535f27731c974343645a3985328"],
  ["objectVersionId", "s3.object.versionId", "8Yk1ExAmPlE.version"],
  ["objectSequencer", "s3.object.sequencer", "0065E1A2B3C4D5E6F7"],
  ["principalId", "userIdentity.principalId", "AWS:AIDAEXAMPLEUPLOADER"],
  ["sourceIp", "requestParameters.sourceIPAddress", "192.0.2.17"],
];
const OPTIONAL = ["objectSize", "objectEtag", "objectVersionId", "objectSequencer"];

/** The fixture with one key of its record replaced, or removed. */
// deno-lint-ignore no-explicit-any -- walks any fixture
function withKey(key: string, value?: unknown): any {
  const event = structuredClone(put);
  const names = key.split(".");
  const last = names.pop()!;
  // deno-lint-ignore no-explicit-any -- the same
  let target: any = event.Records[0];
  for (const name of names) target = target[name];
  if (value === undefined) delete target[last];
  else target[last] = value;
  return event;
}

for (const [accessor, key, expected] of ACCESSORS) {
  Deno.test(`${accessor}() reads ${key}, on the event, its records and by iteration`, () => {
    const event = new FnNotificationEvent(put);
    assertEquals(event[accessor](), expected);
    assertEquals(event.records()[0]![accessor](), expected);
    assertEquals([...event].map((record) => record[accessor]()), [expected]);
  });

  Deno.test(`${accessor}() where ${key} is absent`, () => {
    const event = new FnNotificationEvent(withKey(key));
    if (OPTIONAL.includes(accessor)) return assertEquals(event[accessor](), null);
    const error = assertThrows(() => event[accessor](), CloudEventSpecificationError);
    assertEquals(error.path, `Records[0].${key}`);
  });

  Deno.test(`${accessor}() refuses another type of ${key}`, () => {
    for (const value of [true, ["x"], { x: 1 }, accessor === "objectSize" ? "5" : 5]) {
      const event = new FnNotificationEvent(withKey(key, value));
      const error = assertThrows(() => event[accessor](), CloudEventSpecificationError);
      assertEquals(error.path, `Records[0].${key}`);
    }
    const event = new FnNotificationEvent(withKey(key, null));
    if (OPTIONAL.includes(accessor)) return assertEquals(event[accessor](), null);
    assertThrows(() => event[accessor](), CloudEventSpecificationError, "is null, not a string");
  });

  Deno.test(`${accessor}() names the parent that is absent or null`, () => {
    const parent = key.split(".")[0]!;
    if (parent === key) return;
    for (const [value, problem] of [[undefined, "is absent"], [null, "is null, not an object"]]) {
      const event = new FnNotificationEvent(withKey(parent, value));
      assertThrows(
        () => event[accessor](),
        CloudEventSpecificationError,
        `"Records[0].${parent}" ${problem}`,
      );
    }
  });
}

Deno.test("the records of a deletion and of a transition lack what such events lack", () => {
  const [deletion, transition] = new FnNotificationEvent(removed).records();
  assertEquals(deletion!.objectSize(), null);
  assertEquals(deletion!.objectEtag(), null);
  assertEquals(deletion!.objectVersionId(), null);
  assertEquals(deletion!.objectSequencer(), "0065E1A2B3C4D5E701");
  assertEquals(transition!.objectSequencer(), null);
  assertEquals(transition!.objectSize(), 1048576);
  assertEquals(transition!.sourceIp(), "s3.amazonaws.com");
});

for (const [accessor] of ACCESSORS) {
  Deno.test(`${accessor}() of an event with several records, or none, names records()`, () => {
    for (
      const [raw, problem] of [[removed, "2 records"], [{ Records: [] }, "no record"]] as const
    ) {
      const error = assertThrows(
        () => new FnNotificationEvent(raw)[accessor](),
        CloudEventSpecificationError,
      );
      assertEquals(error.path, "Records");
      assertEquals(
        error.message,
        `Cannot read the event: "Records" holds ${problem}: use records()`,
      );
    }
  });
}

for (
  const [key, decoded] of [
    ["a+b", "a b"],
    ["a%2Bb", "a+b"],
    ["a%20b/c", "a b/c"],
    ["%E2%82%AC", "€"],
    ["", ""],
    ["a&b=c", "a&b=c"],
  ]
) {
  Deno.test(`objectKey() decodes ${JSON.stringify(key)}`, () => {
    assertEquals(new FnNotificationEvent(withKey("s3.object.key", key)).objectKey(), decoded!);
  });
}

Deno.test("objectKey() reads back whatever key was form-encoded", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (key) => {
    const encoded = new URLSearchParams([["", key]]).toString().slice(1);
    const event = new FnNotificationEvent(withKey("s3.object.key", encoded));
    assertEquals(event.objectKey(), key);
  }));
});

for (const key of ["%", "%zz", "100%+sure", "%FF", "%C3"]) {
  Deno.test(`objectKey() refuses ${JSON.stringify(key)}, and the other records go on`, () => {
    const event = new FnNotificationEvent({
      Records: [withKey("s3.object.key", key).Records[0], put.Records[0]],
    });
    const [bad, good] = event.records();
    const error = assertThrows(() => bad!.objectKey(), CloudEventSpecificationError);
    assertEquals(
      error.message,
      `Cannot read the event: "Records[0].s3.object.key" is "${key}", which is not form-encoded`,
    );
    assert(error.cause instanceof URIError);
    assertEquals(bad!.bucketName(), "shop-uploads");
    assertEquals(good!.objectKey(), "pictures/red flower + café.jpg");
  });
}

Deno.test("objectSize() refuses what counts no bytes", () => {
  assertEquals(new FnNotificationEvent(withKey("s3.object.size", 0)).objectSize(), 0);
  for (const size of [-1, 1.5, 2 ** 53]) {
    const event = new FnNotificationEvent(withKey("s3.object.size", size));
    assertThrows(
      () => event.objectSize(),
      CloudEventSpecificationError,
      `is ${size}, not a number`,
    );
  }
});

Deno.test("eventTime() refuses what is no RFC 3339 time", () => {
  const event = new FnNotificationEvent(withKey("eventTime", "1 March 2026"));
  assertThrows(() => event.eventTime(), CloudEventSpecificationError, '"1 March 2026"');
});

Deno.test("records() holds malformed records, which raise by themselves", () => {
  const event = new FnNotificationEvent({ Records: [null, "x", [], {}, put.Records[0]] });
  const problems = event.records().slice(0, 4).map((record) =>
    assertThrows(() => record.bucketName(), CloudEventSpecificationError).message
  );
  assertEquals(problems, [
    'Cannot read the event: "Records[0]" is null, not an object',
    'Cannot read the event: "Records[1]" is a string, not an object',
    'Cannot read the event: "Records[2]" is an array, not an object',
    'Cannot read the event: "Records[3].s3" is absent',
  ]);
  assertEquals(event.records()[4]!.bucketName(), "shop-uploads");
});

Deno.test("rawRecord() is the record by identity, whatever it is", () => {
  assertStrictEquals(new FnNotificationEvent(put).rawRecord(), put.Records[0]);
  assertEquals(new FnNotificationEvent({ Records: [1, null] }).records()[1]!.rawRecord(), null);
});

Deno.test("records() refuses an event without a list of records", () => {
  for (
    const [raw, problem] of [
      [{}, "is absent"],
      [{ Records: null }, "is null, not an array"],
      [{ Records: {} }, "is an object, not an array"],
      [{ detail: { object: { key: "through+the+bus" } } }, "is absent"],
    ] as const
  ) {
    for (const read of ["records", "objectKey"] as const) {
      assertThrows(
        () => new FnNotificationEvent(raw)[read](),
        CloudEventSpecificationError,
        `"Records" ${problem}`,
      );
    }
  }
});

Deno.test("isTestEvent() tells the service's test event, whose records() is empty", () => {
  const event = new FnNotificationEvent(testEvent);
  assertEquals(event.isTestEvent(), true);
  assertEquals([...event], []);
  assertThrows(() => event.objectKey(), CloudEventSpecificationError, "use records()");
  for (const raw of [put, {}, { Event: "s3:Other" }, { ...testEvent, Records: [] }]) {
    assertEquals(new FnNotificationEvent(raw).isTestEvent(), false);
  }
});

Deno.test("accessors refuse the record of another service", () => {
  assertThrows(
    () => new FnNotificationEvent(topic).eventName(),
    CloudEventSpecificationError,
    '"Records[0].EventSource" is "aws:sns", not "aws:s3"',
  );
  const stream = { Records: [{ eventSource: "aws:dynamodb", eventName: "INSERT" }] };
  assertThrows(
    () => new FnNotificationEvent(stream).eventName(),
    CloudEventSpecificationError,
    '"Records[0].eventSource" is "aws:dynamodb"',
  );
  assertEquals(
    new FnNotificationEvent(withKey("eventSource", "minio:s3")).bucketName(),
    "shop-uploads",
  );
});

Deno.test("accessors take any minor version of the event, and only the major version 2", () => {
  for (const version of ["2", "2.0", "2.99", undefined]) {
    const event = new FnNotificationEvent(withKey("eventVersion", version));
    assertEquals(event.bucketName(), "shop-uploads");
  }
  for (const version of ["3.0", "1.0", "20.1", "", 2]) {
    const event = new FnNotificationEvent(withKey("eventVersion", version));
    const error = assertThrows(() => event.bucketName(), CloudEventSpecificationError);
    assertEquals(error.path, "Records[0].eventVersion");
  }
});

Deno.test("a record can be made by itself, and is an event too", () => {
  const record = new FnNotificationRecord(removed, 1);
  assertEquals(record.objectKey(), "archive/2019.zip");
  assert(record instanceof FnEvent);
  assertStrictEquals(record.rawEvent, removed);
  assertThrows(
    () => new FnNotificationRecord(removed, 2).objectKey(),
    CloudEventSpecificationError,
    '"Records[2]" is absent',
  );
  assertThrows(() => new FnNotificationEvent([]), TypeError);
});
