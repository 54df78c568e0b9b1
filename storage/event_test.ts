import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyText } from "../testdata/any_text.ts";
import { put, removed, testEvent } from "../testdata/service_events.ts";
import { checkAccessors, checkRecords, refuse, withKey } from "../testdata/accessors.ts";
import { FnNotificationEvent, FnNotificationRecord } from "./mod.ts";

const ACCESSORS = [
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
] as const;
const OPTIONAL = ["objectSize", "objectEtag", "objectVersionId", "objectSequencer"];

/** Wraps the fixture with another value at a key of its record. */
const change = (key: string, value: unknown) =>
  new FnNotificationEvent(withKey(put, `Records.0.${key}`, value));

Deno.test("every accessor reads its key, and names the key if it is malformed", () => {
  checkAccessors(FnNotificationEvent, put, ACCESSORS, OPTIONAL);
});

Deno.test("a malformed record fails alone, and other events are refused", () => {
  checkRecords(FnNotificationEvent, FnNotificationRecord, put, "bucketName");
  assertEquals(change("eventSource", "minio:s3").bucketName(), "shop-uploads");
});

Deno.test("the records of a deletion and of a lifecycle transition lack some keys", () => {
  const [deletion, transition] = new FnNotificationEvent(removed).records();
  const facts = [deletion!.objectSize(), deletion!.objectEtag(), deletion!.objectVersionId()];
  assertEquals([...facts, deletion!.objectSequencer()], [null, null, null, "0065E1A2B3C4D5E701"]);
  assertEquals(transition!.objectSequencer(), null);
  assertEquals(transition!.objectSize(), 1048576);
  assertEquals(transition!.sourceIp(), "s3.amazonaws.com");
});

Deno.test("objectKey() decodes every form-encoded key", () => {
  assertEquals(change("s3.object.key", "a%20b+c%2B/&=%E2%82%AC").objectKey(), "a b c+/&=€");
  fc.assert(fc.property(anyText, (key) => {
    const encoded = new URLSearchParams([["", key]]).toString().slice(1);
    assertEquals(change("s3.object.key", encoded).objectKey(), key.toWellFormed());
  }));
});

Deno.test("objectKey() refuses a malformed key, and the other accessors still work", () => {
  for (const key of ["%", "%zz", "100%+sure", "%FF", "%C3"]) {
    const event = change("s3.object.key", key);
    const error = refuse(() => event.objectKey());
    const problem = `"Records[0].s3.object.key" is "${key}", not form-encoded`;
    assertEquals(error.message, `Cannot read the event: ${problem}`);
    assert(error.cause instanceof URIError);
    assertEquals(event.bucketName(), "shop-uploads");
  }
});

Deno.test("objectSize() refuses a negative, fractional or inexact number", () => {
  assertEquals(change("s3.object.size", 0).objectSize(), 0);
  for (const size of [-1, 1.5, 2 ** 53]) {
    const { message } = refuse(() => change("s3.object.size", size).objectSize());
    assert(message.endsWith(`is ${size}, not a number of bytes`));
  }
});

Deno.test("a wrong value that JSON cannot write raises the error of the specification", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  for (const [size, kind] of [[cycle, "an object"], [10n, "10"], [NaN, "NaN"]] as const) {
    const { message } = refuse(() => change("s3.object.size", size).objectSize());
    assert(message.endsWith(`is ${kind}, not a number of bytes`), message);
  }
});

Deno.test("isTestEvent() recognises the test event of Amazon S3, whose records() is empty", () => {
  const event = new FnNotificationEvent(testEvent);
  assertEquals(event.isTestEvent(), true);
  const problem = '"Records" is absent from the test event: use records()';
  assertEquals(refuse(() => event.bucketName()).message, `Cannot read the event: ${problem}`);
  assertEquals([...event], []);
  for (const raw of [put, {}, { Event: "s3:Other" }, { ...testEvent, Records: [] }]) {
    assertEquals(new FnNotificationEvent(raw).isTestEvent(), false);
  }
});

Deno.test("the accessors accept any minor version of the event, and only the major version 2", () => {
  for (const version of ["2", "2.0", "2.99", undefined]) {
    assertEquals(change("eventVersion", version).bucketName(), "shop-uploads");
  }
  for (const version of ["3.0", "1.0", "20.1", "", 2]) {
    const error = refuse(() => change("eventVersion", version).bucketName());
    assertEquals(error.path, "Records[0].eventVersion");
  }
});
