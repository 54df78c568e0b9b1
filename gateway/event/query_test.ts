import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { anyText } from "../../testdata/any_text.ts";
import { FnProxyEvent } from "./proxy_event.ts";

function wrap(event: Record<string, unknown>): FnProxyEvent {
  return new FnProxyEvent({
    queryStringParameters: null,
    requestContext: { httpMethod: "get", domainName: "API.example.com", path: "/v0/okay" },
    ...event,
  });
}

Deno.test("queryString() encodes the query again", () => {
  for (
    const [name, single, multi, query] of [
      ["no parameters", null, undefined, ""],
      ["empty maps", {}, {}, ""],
      ["one value each", { b: "2", a: "1" }, undefined, "?b=2&a=1"],
      ["an empty name and value", { "": "", a: "" }, undefined, "?=&a="],
      ["every value", { a: "2", b: "3" }, { a: ["1", "2"], b: ["3"], c: [] }, "?a=1&a=2&b=3"],
      ["only the map of lists if both maps exist", { a: "2" }, {}, ""],
      ["one value each if the map of lists is null", { a: "2" }, null, "?a=2"],
      ["special characters", { "a&b=c": "d #?%+\\" }, undefined, "?a%26b%3Dc=d%20%23%3F%25%2B%5C"],
      ["lone surrogates", { "\uD800": "a\uDC00b" }, undefined, "?%EF%BF%BD=a%EF%BF%BDb"],
      ["the name __proto__", JSON.parse('{"__proto__":"1"}'), undefined, "?__proto__=1"],
    ] as const
  ) {
    const maps = { queryStringParameters: single, multiValueQueryStringParameters: multi };
    const event = wrap(JSON.parse(JSON.stringify(maps)));
    assertEquals(event.queryString(), `GET https://api.example.com/v0/okay${query}`, name);
  }
});

Deno.test("queryString() keeps the path as transmitted", () => {
  for (
    const [path, expected] of [
      ["/", "/"],
      ["", "/"],
      ["/v0/", "/v0/"],
      ["//evil.example/x", "//evil.example/x"],
      ["v0/okay", "/v0/okay"],
      ["/caf%C3%A9", "/caf%C3%A9"],
    ] as const
  ) {
    const event = wrap({ requestContext: { httpMethod: "GET", domainName: "d.example", path } });
    assertEquals(event.queryString(), `GET https://d.example${expected}`);
  }
});

Deno.test("queryString() is a URL with the same meaning as the URL of the client", () => {
  const values = fc.array(anyText, { minLength: 1 });
  fc.assert(fc.property(fc.array(fc.tuple(anyText, values)), (entries) => {
    const multiValueQueryStringParameters = Object.fromEntries(entries);
    const [, url] = wrap({ multiValueQueryStringParameters }).queryString().split("GET ");
    assertEquals(
      [...new URL(url!).searchParams],
      Object.entries(multiValueQueryStringParameters).flatMap(([name, values]) =>
        values.map((value) => [name.toWellFormed(), value.toWellFormed()])
      ),
    );
  }));
});

Deno.test("queryStringParameters() returns a copy with raw values", () => {
  const parameters = { "a b": "c%20d", "": "", q: "<é>" };
  const event = wrap({ queryStringParameters: parameters });
  assertEquals(event.queryStringParameters(), parameters);
  assert(event.queryStringParameters() !== parameters);
  event.queryStringParameters()["q"] = "changed";
  assertEquals(parameters.q, "<é>");
  assertEquals(wrap({}).queryStringParameters(), {});
});

Deno.test("queryStringParameters() holds names such as __proto__ as own properties", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const map = `{${names.map((name) => `"${name}":"1"`).join()}}`;
  const parameters = wrap({ queryStringParameters: JSON.parse(map) }).queryStringParameters();
  assertStrictEquals(Object.getPrototypeOf(parameters), Object.prototype);
  assertEquals(Object.entries(parameters), names.map((name) => [name, "1"]));
});
