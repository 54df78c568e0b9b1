import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { GatewayError } from "./errors.ts";
import { readProxyResult } from "./result.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const read = (result: unknown) => readProxyResult(encode(JSON.stringify(result)));
const JSON_TYPE = ["Content-Type", "application/json"];

Deno.test("readProxyResult() makes a response of a result", async (t) => {
  const both = { headers: { "x-a": "3" }, multiValueHeaders: { "X-A": ["1", "2"] } };
  const twice = { headers: { "x-a": "1" }, multiValueHeaders: { "x-a": ["1", "2"] } };
  const cookies = { multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] } };
  for (
    const [rule, result, status, headers, body] of [
      ["an empty object is an empty 200", {}, 200, [JSON_TYPE], ""],
      ["the status is kept", { statusCode: 404 }, 404, [JSON_TYPE], ""],
      ["a status may be a string", { statusCode: "201" }, 201, [JSON_TYPE], ""],
      ["nulls are absent", { statusCode: null, headers: null, body: null }, 200, [JSON_TYPE], ""],
      ["text is UTF-8", { body: "Grüße" }, 200, [JSON_TYPE], "Grüße"],
      ["a flagged body", { body: "YWI=", isBase64Encoded: true }, 200, [JSON_TYPE], "ab"],
      ["an unflagged body", { body: "YWI=" }, 200, [JSON_TYPE], "YWI="],
      ["booleans", { headers: { "x-a": true } }, 200, [["x-a", "true"], JSON_TYPE], ""],
      ["its type", { headers: { "content-TYPE": "a/b" } }, 200, [["content-TYPE", "a/b"]], ""],
      ["cookies", cookies, 200, [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"], JSON_TYPE], ""],
      ["both maps", both, 200, [["X-A", "1"], ["X-A", "2"], ["X-A", "3"], JSON_TYPE], ""],
      ["a pair twice", twice, 200, [["x-a", "1"], ["x-a", "2"], JSON_TYPE], ""],
      ["a coding", { headers: { "Transfer-Encoding": "chunked" } }, 200, [JSON_TYPE], ""],
      ["UTF-8", { headers: { a: "ü" } }, 200, [["a", "Ã¼"], JSON_TYPE], ""],
    ] as const
  ) {
    await t.step(rule, () => {
      const response = read(result);
      assertEquals(response.status, status);
      assertEquals(response.headers, headers as never);
      assertEquals(new TextDecoder().decode(response.body), body);
    });
  }
});

Deno.test("readProxyResult() renames the headers that a REST API renames, in any case", () => {
  const renamed = "Authorization Connection Content-Length Content-MD5 Date Expect Host " +
    "Max-Forwards Proxy-Authenticate Server Trailer Upgrade User-Agent WWW-Authenticate";
  const kept = "Age Content-Encoding Pragma TE Vary Via Warning";
  for (const name of `${renamed} ${renamed.toLowerCase()} ${kept}`.split(" ")) {
    const expected = kept.includes(name) ? name : `x-amzn-Remapped-${name}`;
    assertEquals(read({ headers: { [name]: "x" } }).headers, [[expected, "x"], JSON_TYPE] as never);
  }
});

Deno.test("readProxyResult() refuses a malformed result", async (t) => {
  for (
    const [json, problem] of [
      ["", "Unexpected end of JSON input"],
      ["null", "it must be an object"],
      ['"text"', "it must be an object"],
      ["[]", "it must be an object"],
      ['{"statusCode":200,"wrong":1}', 'unknown key "wrong"'],
      ['{"cookies":[]}', 'unknown key "cookies"'],
      ['{"statusCode":"test"}', '"statusCode" must be an integer from 200 to 599, got "test"'],
      ['{"statusCode":0}', "599, got 0"],
      ['{"statusCode":101}', "599, got 101"],
      ['{"statusCode":200.5}', "599, got 200.5"],
      ['{"statusCode":600}', "599, got 600"],
      ['{"body":{}}', '"body" must be a string'],
      ['{"body":1}', '"body" must be a string'],
      ['{"isBase64Encoded":"true"}', '"isBase64Encoded" must be a boolean'],
      ['{"headers":[]}', '"headers" must be an object'],
      ['{"headers":{"x":1}}', '"headers.x" must be a string'],
      ['{"headers":{"x y":"1"}}', '"headers.x y" must have a token for its name'],
      ['{"headers":{"x":"a\\r\\nb"}}', '"headers.x" must not have control characters'],
      ['{"multiValueHeaders":"x"}', '"multiValueHeaders" must be an object'],
      ['{"multiValueHeaders":{"x":"1"}}', '"multiValueHeaders.x" must be an array'],
      ['{"multiValueHeaders":{"x":[null]}}', '"multiValueHeaders.x" must be a string'],
    ] as const
  ) {
    await t.step(`${json || "(empty)"}`, () => {
      const error = assertThrows(() => readProxyResult(encode(json)), GatewayError);
      assertEquals(error.status, 502);
      assertStringIncludes(error.message, "Malformed Lambda proxy response: ");
      assertStringIncludes(error.message, problem);
    });
  }
});

Deno.test("readProxyResult() refuses a result that is not UTF-8", () => {
  const result = Uint8Array.from('{"body":"\xff"}', (character) => character.charCodeAt(0));
  const error = assertThrows(() => readProxyResult(result), GatewayError);
  assertEquals(error.status, 502);
});

Deno.test("readProxyResult() answers 500 if a body is flagged as base64 and is not", async (t) => {
  for (const body of ["YWI", "YW I=", "Y===", "YWI_", "<p>Hello</p>"]) {
    await t.step(body, () => {
      const error = assertThrows(() => read({ body, isBase64Encoded: true }), GatewayError);
      assertEquals(error.status, 500);
    });
  }
});
