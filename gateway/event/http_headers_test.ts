import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { FnProxyEvent } from "./proxy_event.ts";

const wrap = (headers: unknown) => new FnProxyEvent({ headers });

for (
  const [name, headers, expected] of [
    ["null", null, {}],
    ["no fields", {}, {}],
    ["names in any case", { Accept: "A/b", "X-FOO": " v ", lower: "" }, {
      accept: "A/b",
      "x-foo": " v ",
      lower: "",
    }],
    ["names equal but for case, joined", { A: "1", b: "2", a: "3", "B": "" }, {
      a: "1, 3",
      b: "2, ",
    }],
  ] as const
) {
  Deno.test(`httpHeaders() takes ${name}`, () => {
    assertEquals(wrap(headers).httpHeaders(), expected);
  });
}

Deno.test("httpHeaders() holds names such as __proto__ as own properties", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueof"];
  const headers = JSON.parse(
    `{${names.map((name) => `"${name}":"1","${name.toUpperCase()}":"2"`).join()}}`,
  );
  const result = wrap(headers).httpHeaders();
  assertStrictEquals(Object.getPrototypeOf(result), Object.prototype);
  assertEquals(Object.entries(result), names.map((name) => [name.toLowerCase(), "1, 2"]));
});

Deno.test("httpHeaders() hands out a new object, and leaves the event as it is", () => {
  const headers = Object.freeze({ A: "1", a: "2" });
  const event = wrap(headers);
  event.httpHeaders()["a"] = "changed";
  assertEquals(event.httpHeaders(), { a: "1, 2" });
});

for (const method of ["headerPreferences", "headerSortedPreferences"] as const) {
  const values = (headers: unknown, name: string) =>
    wrap(headers)[method](name).map((item) => typeof item === "string" ? item : item.value);

  Deno.test(`${method}() finds a header in any case`, () => {
    for (const name of ["Accept", "accept", "ACCEPT"]) {
      assertEquals(values({ aCCept: "b;q=0.5, a" }, name), ["a", "b"]);
    }
  });

  Deno.test(`${method}() joins headers equal but for case`, () => {
    assertEquals(values({ accept: "b;q=0.5", Other: "x", ACCEPT: "a" }, "accept"), ["a", "b"]);
  });

  Deno.test(`${method}() is empty where there is no such header`, () => {
    assertEquals(values(null, "accept"), []);
    assertEquals(values({}, "accept"), []);
    assertEquals(values({ accept: "" }, "accept"), []);
    for (const name of ["constructor", "__proto__", "toString", "", "accept "]) {
      assertEquals(values({ accept: "a" }, name), []);
    }
  });

  Deno.test(`${method}() finds a header named __proto__`, () => {
    assertEquals(values(JSON.parse('{"__proto__":"a"}'), "__proto__"), ["a"]);
  });

  Deno.test(`${method}() reads nothing but its header`, () => {
    const headers = { "X-Number": 5, Accept: "a" };
    Object.defineProperty(headers, "X-Secret", {
      enumerable: true,
      get: () => {
        throw new Error("read");
      },
    });
    assertEquals(values(headers, "accept"), ["a"]);
  });

  Deno.test(`${method}() raises on a value that is no string, and names the key as it is`, () => {
    for (const value of [null, 5, ["a"], {}]) {
      const error = assertThrows(
        () => values({ "aCCEPT": value }, "Accept"),
        CloudEventSpecificationError,
      );
      assertEquals(error.path, "headers.aCCEPT");
    }
  });

  Deno.test(`${method}() refuses a name that is no string`, () => {
    for (const name of [undefined, null, 5, {}]) {
      const error = assertThrows(() => values({}, name as never), TypeError);
      assertEquals(error.message, `Cannot find the header: expected a name, got ${String(name)}`);
    }
  });
}
