import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import fc from "fast-check";
import { refuse } from "../testdata/accessors.ts";
import { anyText } from "../testdata/any_text.ts";
import { tableEvent } from "../testing/mod.ts";
import { FnTableRecord } from "./mod.ts";

/** A record with one attribute value in its new image. */
const holding = (value: unknown, name = "a") => {
  const NewImage = Object.fromEntries([[name, value]]);
  return new FnTableRecord({ Records: [{ dynamodb: { NewImage } }] });
};

const read = (value: unknown) => holding(value).newImage()!.a;

const bytes = fc.uint8Array({ maxLength: 8 }).map((list) => new Uint8Array(list));
const safe = fc.maxSafeInteger();
const unsafe = fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n })
  .filter((value) => !Number.isSafeInteger(Number(value)));
const decimal = fc.double({ min: -1e15, max: 1e15, noNaN: true }).map((value) => value || 0);

/** `unmarshall()` loses or misreads these keys. */
const name = anyText.filter((text) => !["__proto__", "constructor", "toString"].includes(text));

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.boolean(),
    fc.constant(null),
    safe,
    unsafe,
    decimal,
    bytes,
    fc.uniqueArray(anyText, { minLength: 1, maxLength: 4 }).map((list) => new Set(list)),
    fc.uniqueArray(safe, { minLength: 1, maxLength: 4 }).map((list) => new Set(list)),
    fc.uniqueArray(unsafe, { minLength: 1, maxLength: 4 }).map((list) => new Set(list)),
    bytes.map((one) => new Set([one])),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** Attribute values as the service sends them: bytes are base64. */
function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (Array.isArray(value)) return value.map(withBase64);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withBase64(one)]));
}

Deno.test("tableEvent() and newImage() convert values as marshall() and unmarshall() of the AWS SDK do", () => {
  fc.assert(fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (image) => {
    const event = JSON.parse(JSON.stringify(tableEvent([{ keys: { id: 1 }, newImage: image }])));
    const record = new FnTableRecord(event);
    assertEquals(record.newImage(), image as never);
    const sent = marshall(image);
    assertEquals(record.newImage(), unmarshall(sent) as never);
    assertEquals(record.attributes("newImage"), withBase64(sent));
  }));
});

Deno.test("an integer beyond 2^53-1 is a bigint, and every other number a number", () => {
  const cases = [
    ["0", 0],
    ["-0.5", -0.5],
    ["+7", 7],
    [".5", 0.5],
    ["5.", 5],
    ["1e3", 1_000],
    ["1.5E-3", 0.0015],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
    ["12345678901234567890123456789012345678", 12345678901234567890123456789012345678n],
    ["0.12345678901234567890123456789012345678", 0.12345678901234568],
    ["9007199254740993.5", 9007199254740994],
  ] as const;
  for (const [text, expected] of cases) {
    assertStrictEquals(read({ N: text }), expected);
    assertEquals(read({ NS: [text] }), new Set([expected]));
    assertEquals(holding({ N: text }).attributes("newImage"), { a: { N: text } });
  }
});

Deno.test("a set keeps the order in which the service sends it", () => {
  const sets = [{ SS: ["b", "a", "c"] }, { NS: ["2", "1", "3"] }];
  const values = sets.map((set) => [...read(set) as Set<unknown>]);
  assertEquals(values, [["b", "a", "c"], [2, 1, 3]]);
});

Deno.test("a malformed attribute value names its path and is never quoted", () => {
  const cases = [
    ["secret", ""],
    [null, ""],
    [["secret"], ""],
    [{}, ""],
    [{ S: "secret", N: "1" }, ""],
    [{ secret: "secret" }, ""],
    [{ constructor: "secret" }, ""],
    [{ s: "secret" }, ""],
    [{ S: 5 }, ".S"],
    [{ BOOL: "true" }, ".BOOL"],
    [{ NULL: false }, ".NULL"],
    [{ NULL: null }, ".NULL"],
    [{ B: "secret!" }, ".B"],
    [{ B: "AA" }, ".B"],
    [{ B: "AB==" }, ".B"],
    [{ M: ["secret"] }, ".M"],
    [{ M: { x: { M: { y: "secret" } } } }, ".M.x.M.y"],
    [{ L: { 0: "secret" } }, ".L"],
    [{ L: [{ NULL: true }, { S: null }] }, ".L[1].S"],
    [{ SS: "secret" }, ".SS"],
    [{ SS: ["a", 5] }, ".SS[1]"],
    [{ BS: ["secret!"] }, ".BS[0]"],
    ...[
      "",
      " 1",
      "NaN",
      "Infinity",
      "0x10",
      "1e999",
      "1_000",
      "1n",
      "e5",
      ".",
      "0b1",
      "9".repeat(400),
    ]
      .flatMap((text) => [[{ N: text }, ".N"], [{ NS: ["1", text] }, ".NS[1]"]]),
    [{ N: 5 }, ".N"],
  ] as const;
  for (const [attribute, path] of cases as readonly (readonly [unknown, string])[]) {
    const error = refuse(() => read(attribute));
    assertEquals(error.path, `Records[0].dynamodb.NewImage.a${path}`, JSON.stringify(attribute));
    assert(!error.message.includes("secret"), error.message);
  }
});

Deno.test("a key __proto__ or constructor stays a key", () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const image = holding({ M: Object.fromEntries([[name, { N: "1" }]]) }, name).newImage()!;
    assertEquals(Object.entries(image), [[name, Object.fromEntries([[name, 1]])]]);
    assertStrictEquals(Object.getPrototypeOf(image), Object.prototype);
  }
});
