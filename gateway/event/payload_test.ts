import { assert, assertEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError } from "../../function/mod.ts";
import { encodeBase64 } from "@std/encoding/base64";
import { HttpBadRequestError } from "../errors/client_errors.ts";
import { MalformedPayloadError } from "./malformed_payload_error.ts";
import { FnProxyEvent } from "./proxy_event.ts";

const payload = (event: Record<string, unknown>) => new FnProxyEvent(event).queryPayload();

for (
  const [name, event, expected] of [
    ["an object", { body: '{"a":[1,null]}' }, { a: [1, null] }],
    ["a string", { body: '"text"' }, "text"],
    ["false", { body: "false" }, false],
    ["null", { body: "null" }, null],
    ["white space around", { body: "\r\n\t 7 \n" }, 7],
    ["a byte order mark", { body: "\uFEFF[7]" }, [7]],
    ["no body", { body: null }, null],
    ["no body, flagged", { body: null, isBase64Encoded: true }, null],
    ["a flag that is null", { body: "7", isBase64Encoded: null }, 7],
    ["a flag that is false", { body: "7", isBase64Encoded: false }, 7],
    ["base64", { body: encodeBase64('{"a":"é🧀"}'), isBase64Encoded: true }, { a: "é🧀" }],
    ["a byte order mark in base64", { body: encodeBase64("\uFEFF7"), isBase64Encoded: true }, 7],
  ] as const
) {
  Deno.test(`queryPayload() parses ${name}`, () => assertEquals<unknown>(payload(event), expected));
}

Deno.test("queryPayload() decodes a good body after a bad one", () => {
  for (const bad of ["w4", "w4A=", "4oI=", "/w==", "8J+m"]) {
    assertThrows(() => payload({ body: bad, isBase64Encoded: true }), MalformedPayloadError);
    assertEquals(payload({ body: encodeBase64('"é"'), isBase64Encoded: true }), "é");
  }
});

Deno.test("queryPayload() makes an own property of a member named __proto__", () => {
  const value = payload({ body: '{"__proto__":{"admin":true}}' }) as Record<string, unknown>;
  assertEquals(Object.keys(value), ["__proto__"]);
  assertEquals(value["admin"], undefined);
});

for (
  const [body, isBase64Encoded, problem] of [
    ["", false, "the JSON ends too early, at line 1, column 1"],
    ["", true, "the JSON ends too early, at line 1, column 1"],
    ["  ", false, "the JSON ends too early, at line 1, column 3"],
    ["NaN", false, "the JSON is malformed at line 1, column 1"],
    ['{"secret":sesame}', false, "the JSON is malformed at line 1, column 11"],
    ['{\n  "a": 1,\n  "b": secret\n}', false, "the JSON is malformed at line 3, column 8"],
    ['{\r\n"a": 1,\r\n"b": secret}', false, "the JSON is malformed at line 3, column 6"],
    ['{\r"a": 1,\r\r"b": secret}', false, "the JSON is malformed at line 4, column 6"],
    ['{\n"a": "secret', false, "the JSON ends too early, at line 2, column 13"],
    ["\uFEFF\uFEFF1", false, "the JSON is malformed at line 1, column 1"],
    ["7", true, "the body is flagged as base64, and is not"],
    ["eyJhIjoxfQ", true, "the body is flagged as base64, and is not"],
    ["eyJh\nIjoxfQ==", true, "the body is flagged as base64, and is not"],
    ["/w==", true, "the bytes of the body are not UTF-8"],
    ["7aCA", true, "the bytes of the body are not UTF-8"],
  ] as const
) {
  const flagged = isBase64Encoded ? ", flagged as base64" : "";
  Deno.test(`queryPayload() refuses ${JSON.stringify(body)}${flagged}`, () => {
    const error = assertThrows(() => payload({ body, isBase64Encoded }), MalformedPayloadError);
    assertEquals(error.message, `Cannot parse the payload: ${problem}`);
    assert(error instanceof HttpBadRequestError);
    assertEquals([error.name, error.status], ["MalformedPayloadError", 400]);
    assertEquals("cause" in error, false, "a cause may quote the body");
    assert(!error.stack!.includes("secret"));
  });
}

for (
  const [event, path, problem] of [
    [{}, "body", "is absent"],
    [{ body: undefined }, "body", "is absent"],
    [{ body: { a: 1 } }, "body", "is an object, not a string or null"],
    [{ body: [] }, "body", "is an array, not a string or null"],
    [{ body: 7 }, "body", "is a number, not a string or null"],
    [{ body: true }, "body", "is a boolean, not a string or null"],
    [{ body: "7", isBase64Encoded: "true" }, "isBase64Encoded", "is a string, not a boolean"],
    [{ body: "7", isBase64Encoded: 0 }, "isBase64Encoded", "is a number, not a boolean"],
    [{ body: null, isBase64Encoded: {} }, "isBase64Encoded", "is an object, not a boolean"],
  ] as const
) {
  Deno.test(`queryPayload() raises on ${JSON.stringify(event)}`, () => {
    const error = assertThrows(() => payload(event), CloudEventSpecificationError);
    assertEquals(error.message, `Cannot read the event: "${path}" ${problem}`);
    assertEquals(error.path, path);
  });
}

Deno.test("queryPayload() takes no longer than its text is long to say where a text breaks", () => {
  for (const part of ["[", '{"a":', "[1,", '"\\u0041', "\n", "[[],", "1"]) {
    const text = part.repeat(3e6 / part.length);
    const error = assertThrows(() => payload({ body: text + "x" }), MalformedPayloadError);
    assert(error.message.includes("at line"), part);
  }
});

Deno.test("queryPayload() says so where the engine cannot parse what is JSON", () => {
  const { parse } = JSON;
  JSON.parse = () => {
    throw new RangeError("Maximum call stack size exceeded");
  };
  try {
    const error = assertThrows(() => payload({ body: "[[[]]]" }), MalformedPayloadError);
    assertEquals(error.message, "Cannot parse the payload: the JSON is nested too deeply");
  } finally {
    JSON.parse = parse;
  }
});
