import { assertEquals, assertThrows } from "@std/assert";
import { isPlainObject, read, readString, wrongType } from "./read.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

const EVENT = JSON.parse(`{
  "a": { "b": { "c": "text" }, "n": null, "list": [{ "x": 1 }], "number": 5 },
  "__proto__": { "polluted": true }
}`);

Deno.test("read() follows own properties and indexes", () => {
  assertEquals(read(EVENT, ["a", "b", "c"]), "text");
  assertEquals(read(EVENT, ["a", "list", 0, "x"]), 1);
  assertEquals(read(EVENT, ["a", "n"]), null);
  assertEquals(read(EVENT, ["__proto__", "polluted"]), true, "an own property of that name is one");
});

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
  Deno.test(`read() names the shortest key that failed: ${path.join(".")}`, () => {
    const error = assertThrows(() => read(EVENT, path), CloudEventSpecificationError);
    assertEquals(error.path, failed);
    assertEquals(error.message, `Cannot read the event: "${failed}" ${problem}`);
  });
}

Deno.test("readString() refuses every other type, below the name of its root", () => {
  const error = assertThrows(
    () => readString(EVENT.a, ["number"], "Records[3]"),
    CloudEventSpecificationError,
  );
  assertEquals(
    error.message,
    'Cannot read the event: "Records[3].number" is a number, not a string',
  );
});

Deno.test("readString() says what else there is", () => {
  const kinds = [
    [null, "null"],
    [undefined, "absent"],
    [true, "a boolean, not a string"],
    [[], "an array, not a string"],
    [{}, "an object, not a string"],
  ] as const;
  for (const [value, kind] of kinds) {
    const read = () => readString({ key: value } as never, ["key"]);
    assertThrows(read, CloudEventSpecificationError, `"key" is ${kind}`);
  }
  assertEquals(
    wrongType(["key"], undefined, "a string").message,
    'Cannot read the event: "key" is undefined, not a string',
  );
});

Deno.test("isPlainObject() takes what JSON.parse() makes, in any realm", async () => {
  const { runInNewContext } = await import("node:vm");
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
    Object.setPrototypeOf([], Object.prototype),
    new Map(),
    new Date(),
    () => {},
  ];
  for (const value of others) assertEquals(isPlainObject(value), false);
});
