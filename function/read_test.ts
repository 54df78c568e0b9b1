import { assertEquals, assertThrows } from "@std/assert";
import { runInNewContext } from "node:vm";
import { isPlainObject, read, readOptionalString, readString } from "./read.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

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
  for (
    const [path, failed, problem] of [
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
    ] as const
  ) {
    const error = assertThrows(() => read(EVENT, path), CloudEventSpecificationError);
    assertEquals(error.path, failed);
    assertEquals(error.message, `Cannot read the event: "${failed}" ${problem}`);
  }
});

Deno.test("readString() and readOptionalString() refuse values of other types", () => {
  for (
    const [value, problem] of [
      [true, "is a boolean"],
      [5, "is a number"],
      [[], "is an array"],
      [{}, "is an object"],
    ] as const
  ) {
    const event = { key: value } as never;
    assertThrows(
      () => readString(event, ["key"]),
      CloudEventSpecificationError,
      `"key" ${problem}, not a string`,
    );
    assertThrows(
      () => readOptionalString(event, ["key"]),
      CloudEventSpecificationError,
      `"key" ${problem}, not a string or null`,
    );
  }
  assertThrows(() => readString({ key: null }, ["key"]), CloudEventSpecificationError, "is null");
});

Deno.test("readOptionalString() gives null for an absent key, but needs the parent", () => {
  assertEquals(readOptionalString({}, ["key"]), null);
  assertEquals(readOptionalString({ key: null }, ["key"]), null);
  assertEquals(readOptionalString(EVENT, ["a", "b", "c"]), "text");
  for (const path of [["x", "key"], ["a", "n", "key"], ["a", "list", "0"]]) {
    const error = assertThrows(() => readOptionalString(EVENT, path), CloudEventSpecificationError);
    assertEquals(error.path, path.slice(0, -1).join("."));
  }
});

Deno.test("isPlainObject() takes exactly the objects that JSON.parse() makes, in any realm", () => {
  for (const value of [{}, JSON.parse("{}"), Object.create(null), runInNewContext("({})")]) {
    assertEquals(isPlainObject(value), true);
  }
  const others = [
    null,
    undefined,
    1,
    "x",
    [],
    runInNewContext("[]"),
    Object.setPrototypeOf([], null),
    new Map(),
    new Date(),
    () => {},
  ];
  for (const value of others) assertEquals(isPlainObject(value), false);
});
