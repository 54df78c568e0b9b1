import { assert, assertEquals } from "@std/assert";
import { topic as raw } from "../testdata/service_events.ts";
import { checkAccessors, checkRecords, refuse, withKey } from "../testdata/accessors.ts";
import { FnMessageEvent, FnMessageRecord } from "./mod.ts";

const SNS = raw.Records[0]!.Sns;

const ACCESSORS = [
  ["eventSubscriptionArn", "EventSubscriptionArn", raw.Records[0]!.EventSubscriptionArn],
  ["topicArn", "Sns.TopicArn", "arn:aws:sns:eu-central-1:123456789012:orders"],
  ["messageId", "Sns.MessageId", "c1d6d5f0-3a6c-5f2b-8a0e-9b8d7c6e5f40"],
  ["messageType", "Sns.Type", "Notification"],
  ["subject", "Sns.Subject", "A new order"],
  ["message", "Sns.Message", '{"item":"tea","count":3}'],
  ["messagePayload", "Sns.Message", { item: "tea", count: 3 }],
  ["timestamp", "Sns.Timestamp", new Date("2026-03-01T09:05:07.123Z")],
  ["signature", "Sns.Signature", "RXhhbXBsZSBzaWduYXR1cmU="],
  ["signingCertUrl", "Sns.SigningCertUrl", SNS.SigningCertUrl],
  ["unsubscribeUrl", "Sns.UnsubscribeUrl", SNS.UnsubscribeUrl],
] as const;

/** Wraps the fixture with another value at a key of its record. */
const change = (key: string, value: unknown) =>
  new FnMessageEvent(withKey(raw, `Records.0.${key}`, value));

Deno.test("every accessor reads its key, and names the key if it is malformed", () => {
  checkAccessors(FnMessageEvent, raw, ACCESSORS, ["subject"]);
});

Deno.test("a malformed record fails alone, and other events are refused", () => {
  checkRecords(FnMessageEvent, FnMessageRecord, raw, "subject");
});

Deno.test("signingCertUrl() and unsubscribeUrl() read both spellings", () => {
  const { SigningCertUrl, UnsubscribeUrl, ...rest } = SNS;
  const Sns = { ...rest, SigningCertURL: SigningCertUrl, UnsubscribeURL: UnsubscribeUrl };
  const event = new FnMessageEvent({ Records: [{ Sns }] });
  assertEquals(event.signingCertUrl(), SigningCertUrl);
  assertEquals(event.unsubscribeUrl(), UnsubscribeUrl);
});

Deno.test("messagePayload() refuses a message that is not JSON and does not show it", () => {
  const error = refuse(() => change("Sns.Message", "{secret: 1}").messagePayload());
  const problem = '"Records[0].Sns.Message" is not JSON (RFC 8259)';
  assertEquals([error.message, error.cause], [`Cannot read the event: ${problem}`, undefined]);
});

Deno.test("messageAttributes() converts the values and does not change the raw event", () => {
  const before = structuredClone(raw);
  assertEquals(new FnMessageEvent(raw).messageAttributes(), {
    kind: { Type: "String", Value: "order" },
    tags: { Type: "String.Array", Value: ["new", 7, true, null] },
    weight: { Type: "Number", Value: -125 },
    digest: { Type: "Binary", Value: new Uint8Array([0, 255, 128]) },
  });
  assertEquals(raw, before);
});

Deno.test("messageAttributes() is empty for a message without attributes", () => {
  for (const attributes of [undefined, null, {}]) {
    assertEquals(change("Sns.MessageAttributes", attributes).messageAttributes(), {});
  }
  for (const attributes of ["", [], 5]) {
    const error = refuse(() => change("Sns.MessageAttributes", attributes).messageAttributes());
    assertEquals(error.path, "Records[0].Sns.MessageAttributes");
  }
});

Deno.test("messageAttributes() makes an own property of any name", () => {
  const attributes = JSON.parse('{"__proto__":{"Type":"String","Value":"x","Extra":1}}');
  const result = change("Sns.MessageAttributes", attributes).messageAttributes();
  assertEquals(Object.getPrototypeOf(result), Object.prototype);
  assertEquals(Object.entries(result), [["__proto__", { Type: "String", Value: "x" }]]);
});

const VALUES: Record<string, [string, unknown][]> = {
  "String": [["", ""], ["1", "1"]],
  "String.Array": [["[]", []], [' ["a"]\n', ["a"]]],
  "Number": [
    ["0", 0],
    ["-0.5", -0.5],
    ["+5", 5],
    ["007", 7],
    [".5", 0.5],
    ["5.", 5],
    ["1E+3", 1000],
    ["12345678901234567890123456789012345678", 1.2345678901234568e37],
  ],
  "Binary": [
    ["", new Uint8Array()],
    ["AA==", new Uint8Array([0])],
    ["AA", new Uint8Array([0])],
    ["AAE=", new Uint8Array([0, 1])],
    ["AAE", new Uint8Array([0, 1])],
    ["+/+/", new Uint8Array([0xfb, 0xff, 0xbf])],
    // The sample event of the console has spare bits.
    ["TestBinary", new Uint8Array([0x4d, 0xeb, 0x2d, 0x06, 0x29, 0xda, 0xaf])],
  ],
};

Deno.test("messageAttributes() reads the values of every type", () => {
  for (const [Type, values] of Object.entries(VALUES)) {
    for (const [Value, expected] of values) {
      const event = change("Sns.MessageAttributes", { a: { Type, Value } });
      assertEquals<unknown>(event.messageAttributes(), { a: { Type, Value: expected } });
    }
  }
});

const BAD_VALUES: Record<string, unknown[]> = {
  "String": [null, 5, undefined],
  "String.Array": ["", "[", "{}", "null", '"a"', ["a"]],
  "Number": ["", " 5", "5 ", "0x10", "1_000", "1,5", "Infinity", "NaN", "1e999", ".", 5],
  "Binary": ["A", "AA=", "-_-_", "AAA\n"],
};

Deno.test("messageAttributes() names the attribute whose value does not match its type", () => {
  for (const [Type, values] of Object.entries(BAD_VALUES)) {
    for (const Value of values) {
      const event = change("Sns.MessageAttributes", { "my.name": { Type, Value } });
      const error = refuse(() => event.messageAttributes());
      assertEquals(error.path, "Records[0].Sns.MessageAttributes.my.name.Value");
    }
  }
});

Deno.test("messageAttributes() reads a number in time linear in its digits", () => {
  // If the time were quadratic, this test would not end.
  const Value = `${"1".repeat(2_000_000)}x`;
  const event = change("Sns.MessageAttributes", { a: { Type: "Number", Value } });
  assert(refuse(() => event.messageAttributes()).message.endsWith("not a number"));
});

Deno.test("messageAttributes() names a malformed attribute and an unknown type", () => {
  const types = "String, String.Array, Number or Binary";
  const cases = [
    [null, '.a" is null, not an object'],
    [{ Value: "x" }, '.a.Type" is absent'],
    [{ Type: "string", Value: "x" }, `.a.Type" is "string", not ${types}`],
  ] as const;
  for (const [attribute, problem] of cases) {
    const event = change("Sns.MessageAttributes", { a: attribute });
    const { message } = refuse(() => event.messageAttributes());
    assertEquals(message, `Cannot read the event: "Records[0].Sns.MessageAttributes${problem}`);
  }
});
