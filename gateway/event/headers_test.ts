import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { FnProxyEvent } from "./proxy_event.ts";

const wrap = (headers: unknown) => new FnProxyEvent({ headers });

Deno.test("httpHeaders() folds names and joins the values of equal names", () => {
  for (
    const [headers, expected] of [
      [null, {}],
      [{}, {}],
      [{ Accept: "A/b", "X-FOO": " v ", low: "" }, { accept: "A/b", "x-foo": " v ", low: "" }],
      [{ A: "1", b: "2", a: "3", "B": "" }, { a: "1, 3", b: "2, " }],
    ]
  ) {
    const event = wrap(headers);
    event.httpHeaders()["a"] = "the result is a copy";
    assertEquals<unknown>(event.httpHeaders(), expected);
  }
});

Deno.test("httpHeaders() holds names such as __proto__ as own properties", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueof"];
  const headers = JSON.parse(
    `{${names.map((name) => `"${name}":"1","${name.toUpperCase()}":"2"`).join()}}`,
  );
  const result = wrap(headers).httpHeaders();
  assertStrictEquals(Object.getPrototypeOf(result), Object.prototype);
  assertEquals(Object.entries(result), names.map((name) => [name.toLowerCase(), "1, 2"]));
});

Deno.test("httpHeaders() gives each of many requests its own names and values, in their order", () => {
  for (let round = 0; round < 3; round++) {
    for (let first = 0; first < 20; first++) {
      const names = Array.from({ length: 20 }, (_, index) => `X-${(first + index) % 20}`);
      names.push("7", "__proto__"); // the engine lists numbers first
      const fields = names.map((name) => [name, `${name} ${round}`]);
      const expected = fields.map(([name, value]) => [name!.toLowerCase(), value]);
      assertEquals(
        Object.entries(wrap(Object.fromEntries(fields)).httpHeaders()),
        Object.entries(Object.fromEntries(expected)),
      );
    }
  }
});

Deno.test("httpHeaders() and header() read own names, and no list without values", () => {
  for (
    const [map, expected] of [
      [{ A: ["1", "2"], b: [], C: ["3"] }, { a: "1, 2", c: "3" }],
      [{ A: [], b: ["1"], a: ["2"] }, { a: "2", b: "1" }],
      [{ a: ["1"], b: [], A: [] }, { a: "1" }],
    ] as [Record<string, string[]>, Record<string, string>][]
  ) {
    const event = new FnProxyEvent({ headers: null, multiValueHeaders: map });
    Object.assign(Object.prototype, { inherited: ["x"] });
    try {
      assertEquals(event.httpHeaders(), expected);
      assertEquals(event.header("inherited"), undefined);
    } finally {
      delete (Object.prototype as { inherited?: unknown }).inherited;
    }
    for (const name of ["a", "B", "c"]) {
      assertEquals(event.header(name), expected[name.toLowerCase()]);
    }
  }
});

Deno.test("httpHeaders() and header() take cookies in place of their header, and refuse malformed ones", () => {
  const read = (headers: unknown, cookies: unknown) => {
    const context = { http: { method: "GET" } };
    const event = new FnProxyEvent({ version: "2.0", requestContext: context, headers, cookies });
    return [event.httpHeaders()["cookie"], event.header("Cookie")];
  };
  for (
    const [headers, cookies, expected] of [
      [{ cookie: "a=b" }, ["c=d", "e=f"], "c=d; e=f"],
      [{ cookie: "a=b", Cookie: "g=h" }, ["c=d"], "g=h; c=d"],
      [{ cookie: "a=b" }, [], undefined],
      [{ cookie: "a=b" }, null, "a=b"],
      [null, ["c=d"], "c=d"],
    ]
  ) assertEquals(read(headers, cookies), [expected, expected] as string[]);
  for (
    const [headers, cookies, path] of [
      [{ cookie: 5 }, ["c=d"], "headers.cookie"],
      [{}, "c=d", "cookies"],
      [{}, [5], "cookies[0]"],
    ]
  ) {
    const error = assertThrows(() => read(headers, cookies), CloudEventSpecificationError);
    assertEquals(error.path, path as string);
  }
});

const METHODS = ["headerPreferences", "headerSortedPreferences"] as const;

function values(method: typeof METHODS[number], headers: unknown, name: string): string[] {
  return wrap(headers)[method](name).map((item) => typeof item === "string" ? item : item.value);
}

Deno.test("headerPreferences() and headerSortedPreferences() find a header in any case", () => {
  for (
    const [headers, name, ...expected] of [
      [{ aCCept: "b;q=0.5, a" }, "Accept", "a", "b"],
      [{ accept: "b;q=0.5", Other: "x", ACCEPT: "a" }, "accept", "a", "b"],
      [{ Insect: "x", accept: "a" }, "accept", "a"],
      [JSON.parse('{"__proto__":"a"}'), "__proto__", "a"],
      [{ accept: "a", "X-Number": 5 }, "accept", "a"],
      [null, "accept"],
      [{}, "accept"],
      [{ accept: "" }, "accept"],
      [{ accept: "a" }, "constructor"],
      [{ accept: "a" }, "__proto__"],
      [{ accept: "a" }, "accept "],
      [{ accept: "a" }, ""],
    ]
  ) {
    for (const method of METHODS) {
      assertEquals(values(method, headers, name), expected, `${method}(${name})`);
    }
  }
});

Deno.test("headerPreferences() and headerSortedPreferences() name the value that is not a string", () => {
  for (const method of METHODS) {
    for (const value of [null, 5, ["a"], {}]) {
      const read = () => values(method, { "aCCEPT": value }, "Accept");
      assertEquals(assertThrows(read, CloudEventSpecificationError).path, "headers.aCCEPT");
    }
    assertThrows(() => values(method, {}, 5 as never), TypeError);
  }
});
