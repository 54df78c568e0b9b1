import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError } from "../function/mod.ts";
import storage from "../testdata/storage_put.json" with { type: "json" };
import raw from "../testdata/topic_message.json" with { type: "json" };
import { FnMessageEvent, FnMessageRecord } from "./mod.ts";

type Accessor = Exclude<keyof FnMessageRecord, "rawEvent">;

const SNS = raw.Records[0]!.Sns;

/** Each accessor, the key it reads, and what it makes of the fixture. */
const ACCESSORS: [Accessor, string, unknown][] = [
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
];

/** The fixture with one key of its record replaced, or removed. */
function withKey(key: string, value?: unknown): { Records: unknown[] } {
  const event = structuredClone(raw);
  const name = key.replace("Sns.", "");
  const target: Record<string, unknown> = key === name ? event.Records[0]! : event.Records[0]!.Sns;
  if (value === undefined) delete target[name];
  else target[name] = value;
  return event;
}

for (const [accessor, key, expected] of ACCESSORS) {
  Deno.test(`${accessor}() reads ${key}, on the event, its records and by iteration`, () => {
    const event = new FnMessageEvent(raw);
    assertEquals(event[accessor](), expected);
    assertEquals(event.records()[0]![accessor](), expected);
    assertEquals([...event].map((record) => record[accessor]()), [expected]);
  });

  Deno.test(`${accessor}() where ${key} is absent, null or of another type`, () => {
    for (const value of [undefined, null, 5, [], {}]) {
      const event = new FnMessageEvent(withKey(key, value));
      if (accessor === "subject" && (value === undefined || value === null)) {
        assertEquals(event.subject(), null);
      } else {
        const error = assertThrows(() => event[accessor](), CloudEventSpecificationError);
        assertEquals(error.path, `Records[0].${key}`);
      }
    }
  });

  Deno.test(`${accessor}() of an event with several records, or none, names records()`, () => {
    for (const Records of [[], [null, null]]) {
      assertThrows(
        () => new FnMessageEvent({ Records })[accessor](),
        CloudEventSpecificationError,
        "use records()",
      );
    }
  });
}

Deno.test("the URLs are read in both spellings", () => {
  const { SigningCertUrl, UnsubscribeUrl, ...rest } = SNS;
  const Sns = { ...rest, SigningCertURL: SigningCertUrl, UnsubscribeURL: UnsubscribeUrl };
  const event = new FnMessageEvent({ Records: [{ Sns }] });
  assertEquals(event.signingCertUrl(), SigningCertUrl);
  assertEquals(event.unsubscribeUrl(), UnsubscribeUrl);
});

Deno.test("messagePayload() refuses what is no JSON without showing it", () => {
  for (const message of ["", "secret", "{secret: 1}", "NaN"]) {
    const error = assertThrows(
      () => new FnMessageEvent(withKey("Sns.Message", message)).messagePayload(),
      CloudEventSpecificationError,
    );
    assertEquals(
      error.message,
      'Cannot read the event: "Records[0].Sns.Message" is not JSON (RFC 8259)',
    );
    assertEquals(error.cause, undefined);
  }
});

Deno.test("messageAttributes() converts the values and leaves the raw event", () => {
  const before = structuredClone(raw);
  assertEquals(new FnMessageEvent(raw).messageAttributes(), {
    kind: { Type: "String", Value: "order" },
    tags: { Type: "String.Array", Value: ["new", 7, true, null] },
    weight: { Type: "Number", Value: -125 },
    digest: { Type: "Binary", Value: new Uint8Array([0, 255, 128]) },
  });
  assertEquals(raw, before);
});

Deno.test("messageAttributes() of a message without any", () => {
  for (const attributes of [undefined, null, {}]) {
    const event = new FnMessageEvent(withKey("Sns.MessageAttributes", attributes));
    assertEquals(event.messageAttributes(), {});
  }
  for (const attributes of ["", [], 5]) {
    assertThrows(
      () => new FnMessageEvent(withKey("Sns.MessageAttributes", attributes)).messageAttributes(),
      CloudEventSpecificationError,
      "not an object",
    );
  }
});

Deno.test("messageAttributes() makes an own property of any name", () => {
  const attributes = JSON.parse('{"__proto__":{"Type":"String","Value":"x","Extra":1}}');
  const event = new FnMessageEvent(withKey("Sns.MessageAttributes", attributes));
  const result = event.messageAttributes();
  assertEquals(Object.keys(result), ["__proto__"]);
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
    // As in the console's sample, whose last character has excess bits.
    ["TestBinary", new Uint8Array([0x4d, 0xeb, 0x2d, 0x06, 0x29, 0xda, 0xaf])],
  ],
};

for (const [Type, values] of Object.entries(VALUES)) {
  for (const [Value, expected] of values) {
    Deno.test(`messageAttributes() reads the ${Type} ${JSON.stringify(Value)}`, () => {
      const event = new FnMessageEvent(withKey("Sns.MessageAttributes", { a: { Type, Value } }));
      assertEquals<unknown>(event.messageAttributes(), { a: { Type, Value: expected } });
    });
  }
}

const BAD_VALUES: Record<string, unknown[]> = {
  "String": [null, 5, undefined],
  "String.Array": ["", "[", "{}", "null", '"a"', ["a"]],
  "Number": [
    "",
    " ",
    " 5",
    "5 ",
    "0x10",
    "0b1",
    "1_000",
    "1,5",
    "Infinity",
    "NaN",
    "1e999",
    ".",
    5,
  ],
  "Binary": ["A", "AAAAA", "A=", "AA=", "AAAA=", "A===", "=", "AA==AA==", "A A=", "-_-_", "AAA\n"],
};

for (const [Type, values] of Object.entries(BAD_VALUES)) {
  for (const Value of values) {
    Deno.test(`messageAttributes() refuses the ${Type} ${JSON.stringify(Value)}`, () => {
      const event = new FnMessageEvent(
        withKey("Sns.MessageAttributes", { "my.name": { Type, Value } }),
      );
      const error = assertThrows(() => event.messageAttributes(), CloudEventSpecificationError);
      assertEquals(error.path, "Records[0].Sns.MessageAttributes.my.name.Value");
    });
  }
}

Deno.test("messageAttributes() reads a number in time linear in its digits", () => {
  // With time quadratic in them it would take longer than any test run.
  const digits = "1".repeat(2_000_000);
  const attributes = { a: { Type: "Number", Value: `${digits}x` } };
  assertThrows(
    () => new FnMessageEvent(withKey("Sns.MessageAttributes", attributes)).messageAttributes(),
    CloudEventSpecificationError,
    "not a number",
  );
});

Deno.test("messageAttributes() names an attribute that is none, or of an unknown type", () => {
  for (
    const [attribute, problem] of [
      [null, '.a" is null, not an object'],
      [{ Value: "x" }, '.a.Type" is absent'],
      [{ Type: "string", Value: "x" }, '.a.Type" is "string", not String, String.Array, Number'],
      [{ Type: "toString", Value: "x" }, '.a.Type" is "toString"'],
    ] as const
  ) {
    assertThrows(
      () =>
        new FnMessageEvent(withKey("Sns.MessageAttributes", { a: attribute })).messageAttributes(),
      CloudEventSpecificationError,
      `Records[0].Sns.MessageAttributes${problem}`,
    );
  }
});

Deno.test("records() holds malformed records, which raise by themselves", () => {
  const event = new FnMessageEvent({ Records: [null, raw.Records[0], { Sns: null }] });
  const [first, second, third] = event.records();
  assertThrows(
    () => first!.message(),
    CloudEventSpecificationError,
    '"Records[0]" is null, not an object',
  );
  assertEquals(second!.subject(), "A new order");
  assertThrows(() => third!.message(), CloudEventSpecificationError, '"Records[2].Sns" is null');
  assertEquals(first!.rawRecord(), null);
});

Deno.test("accessors refuse the record of another service", () => {
  assertThrows(
    () => new FnMessageEvent(storage).message(),
    CloudEventSpecificationError,
    '"Records[0].eventSource" is "aws:s3", not "aws:sns"',
  );
});

Deno.test("records() refuses an event without a list of records", () => {
  for (const other of [{}, { Records: "x" }, { Records: { length: 1 } }]) {
    assertThrows(
      () => new FnMessageEvent(other).records(),
      CloudEventSpecificationError,
      "Records",
    );
  }
  assertThrows(() => new FnMessageEvent(null), TypeError);
});

Deno.test("a record can be made by itself", () => {
  const record = new FnMessageRecord(raw, 0);
  assertEquals(record.messageType(), "Notification");
  assertStrictEquals(record.rawEvent, raw);
  assert(!(record instanceof FnMessageEvent));
});
