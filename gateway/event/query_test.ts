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
    const [name, event, query] of [
      ["no parameters", {}, ""],
      ["empty maps", { queryStringParameters: {}, multiValueQueryStringParameters: {} }, ""],
      ["one value each", { queryStringParameters: { b: "2", a: "1" } }, "?b=2&a=1"],
      ["an empty name and value", { queryStringParameters: { "": "", a: "" } }, "?=&a="],
      [
        "every value of each",
        {
          queryStringParameters: { a: "2", b: "3" },
          multiValueQueryStringParameters: { a: ["1", "2"], b: ["3"], c: [] },
        },
        "?a=1&a=2&b=3",
      ],
      [
        "only the map of lists if both maps exist",
        { queryStringParameters: { a: "2" }, multiValueQueryStringParameters: {} },
        "",
      ],
      [
        "one value each if the map of lists is null",
        { queryStringParameters: { a: "2" }, multiValueQueryStringParameters: null },
        "?a=2",
      ],
      [
        "the special characters of a URL",
        { queryStringParameters: { "a&b=c": "d #?%+/\\é🧀\u0000" } },
        "?a%26b%3Dc=d%20%23%3F%25%2B%2F%5C%C3%A9%F0%9F%A7%80%00",
      ],
      [
        "lone surrogates",
        { queryStringParameters: { "\uD800": "a\uDC00b" } },
        "?%EF%BF%BD=a%EF%BF%BDb",
      ],
      [
        "the name __proto__",
        JSON.parse('{"queryStringParameters":{"__proto__":"1"}}'),
        "?__proto__=1",
      ],
    ] as const
  ) {
    assertEquals(wrap(event).queryString(), `GET https://api.example.com/v0/okay${query}`, name);
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
  const text = anyText;
  fc.assert(fc.property(fc.array(fc.tuple(text, fc.array(text, { minLength: 1 }))), (entries) => {
    const multiValueQueryStringParameters = Object.fromEntries(entries);
    const url = new URL(
      wrap({ multiValueQueryStringParameters }).queryString().slice("GET ".length),
    );
    assertEquals(
      [...url.searchParams],
      Object.entries(multiValueQueryStringParameters)
        .flatMap(([name, values]) =>
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
  const event = wrap(JSON.parse(
    '{"queryStringParameters":{"__proto__":"p","constructor":"c","toString":"t","hasOwnProperty":"h"}}',
  ));
  const parameters = event.queryStringParameters();
  assertStrictEquals(Object.getPrototypeOf(parameters), Object.prototype);
  assertEquals(Object.entries(parameters), [
    ["__proto__", "p"],
    ["constructor", "c"],
    ["toString", "t"],
    ["hasOwnProperty", "h"],
  ]);
});
