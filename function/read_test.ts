import { assertEquals, assertMatch } from "@std/assert";
import { refuse } from "../testdata/accessors.ts";
import { read, readOptionalString, readString, readTime } from "./read.ts";
import type { JsonObject, JsonValue } from "./mod.ts";

const EVENT = JSON.parse(`{
  "a": { "b": { "c": "text" }, "n": null, "list": [{ "x": 1 }], "number": 5 },
  "__proto__": { "polluted": true }
}`);

Deno.test("read() follows own properties and indexes", () => {
  assertEquals(read(EVENT, ["a", "b", "c"]), "text");
  assertEquals(read(EVENT, ["a", "list", 0, "x"]), 1);
  assertEquals(read(EVENT, ["a", "n"]), null);
  assertEquals(read(EVENT, ["__proto__", "polluted"]), true);
});

Deno.test("read() names the shortest key that failed", () => {
  const cases = [
    [["x"], "x", "is absent"],
    [["x", "y", "z"], "x", "is absent"],
    [["a", "x", "z"], "a.x", "is absent"],
    [["a", "n", "z"], "a.n", "is null, not an object"],
    [["a", "list", "length"], "a.list", "is an array, not an object"],
    [["a", "b", 0], "a.b", "is an object, not an array"],
    [["a", "list", 1], "a.list[1]", "is absent"],
    [["a", "list", 0, "y"], "a.list[0].y", "is absent"],
    [["a", "b", "c", "length"], "a.b.c", "is a string, not an object"],
    [["constructor"], "constructor", "is absent"],
    [["a", "toString"], "a.toString", "is absent"],
    [["a", "__proto__"], "a.__proto__", "is absent"],
  ] as const;
  for (const [path, failed, problem] of cases) {
    const error = refuse(() => read(EVENT, path));
    assertEquals(error.path, failed);
    assertEquals(error.message, `Cannot read the event: "${failed}" ${problem}`);
  }
});

Deno.test("readString() and readOptionalString() refuse values of other types", () => {
  const cases = [[true, "a boolean"], [5, "a number"], [[], "an array"], [{}, "an object"]];
  for (const [value, kind] of cases) {
    const event = { key: value } as never;
    const message = `Cannot read the event: "key" is ${kind}, not a string`;
    assertEquals(refuse(() => readString(event, ["key"])).message, message);
    assertEquals(refuse(() => readOptionalString(event, ["key"])).message, `${message} or null`);
  }
  assertMatch(refuse(() => readString({ key: null }, ["key"])).message, /is null/);
});

Deno.test("readOptionalString() gives null for an absent key, but needs the parent", () => {
  assertEquals(readOptionalString({}, ["key"]), null);
  assertEquals(readOptionalString({ key: null }, ["key"]), null);
  assertEquals(readOptionalString(EVENT, ["a", "b", "c"]), "text");
  for (const path of [["x", "key"], ["a", "n", "key"], ["a", "list", "0"]]) {
    const error = refuse(() => readOptionalString(EVENT, path));
    assertEquals(error.path, path.slice(0, -1).join("."));
  }
});

const parse = (time: string) => readTime({ time }, ["time"]);

Deno.test("readTime() reads every date-time that a service sends", () => {
  const cases = [
    ["2026-03-01T09:05:00Z", "2026-03-01T09:05:00.000Z"],
    ["2026-03-01T09:05:00.5Z", "2026-03-01T09:05:00.500Z"],
    ["2026-03-01T09:05:00.123999999Z", "2026-03-01T09:05:00.123Z"],
    ["2026-03-01T00:05:00+01:30", "2026-02-28T22:35:00.000Z"],
    ["2026-12-31T23:05:00-01:00", "2027-01-01T00:05:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ];
  for (const [text, iso] of cases) {
    assertEquals(parse(text!).toISOString(), iso, text);
  }
});

Deno.test("readTime() refuses every other text and quotes it", () => {
  const texts = [
    "yesterday",
    "2026-03-01T09:05Z",
    "2026-03-01T09:05:00",
    "2026-03-01 09:05:00Z",
    " 2026-03-01T09:05:00Z",
    "2026-03-01T09:05:00Z\n",
    "2026-03-01T09:05:00.Z",
    "2026-03-01T09:05:00+0100",
    "2026-03-01T09:05:00+24:00",
    "2026-03-01T24:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "+002026-03-01T09:05:00Z",
  ];
  for (const text of texts) {
    const error = refuse(() => parse(text));
    const problem = `is ${JSON.stringify(text)}, not a date and time (RFC 3339)`;
    assertEquals(error.message, `Cannot read the event: "time" ${problem}`);
  }
});

Deno.test("JsonValue narrows to objects, arrays and scalars, by Array.isArray() and typeof", () => {
  const value: JsonValue = JSON.parse('{"list":[1]}');
  if (typeof value !== "object" || value === null) {
    value satisfies string | number | boolean | null;
  } else if (Array.isArray(value)) {
    value satisfies JsonValue[];
    // @ts-expect-error An item of an array is JSON, not `any`.
    value[0]?.toFixed;
  } else value satisfies JsonObject;
});
