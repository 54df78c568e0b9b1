import { assertEquals, assertThrows } from "@std/assert";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { buildHttpResponse } from "./response.ts";

const JSON_CONTENT_TYPE = "application/json; charset=utf-8";
const event = new FnProxyEvent({ headers: null });

for (
  const [vary, expected] of [
    ["Origin", "Origin, Accept, Accept-Encoding"],
    ["accept , ORIGIN", "accept, ORIGIN, Accept-Encoding"],
    ["Accept-Encoding,,Accept", "Accept-Encoding, Accept"],
    ["", "Accept, Accept-Encoding"],
    ["*", "*"],
    ["Origin, *", "*"],
  ] as const
) {
  Deno.test(`buildHttpResponse() merges a Vary of ${JSON.stringify(vary)}`, () => {
    const options = { event, extraHeaders: { VARY: vary } };
    const { headers } = buildHttpResponse(200, 1, options);
    assertEquals(headers, { "Content-Type": JSON_CONTENT_TYPE, VARY: expected });
    const without = buildHttpResponse(200, 1, { extraHeaders: { VARY: vary } });
    assertEquals(without.headers["VARY"], vary, "without a request nothing is consulted");
  });
}

Deno.test("buildHttpResponse() takes the last of two spellings of an extra header", () => {
  const extraHeaders = { "x-a": "1", "X-A": "2", VARY: "a", vary: "b" };
  assertEquals(buildHttpResponse(200, 1, { event, extraHeaders }).headers, {
    "Content-Type": JSON_CONTENT_TYPE,
    "X-A": "2",
    vary: "b, Accept, Accept-Encoding",
  });
});

Deno.test("buildHttpResponse() takes __proto__ for a name like others", () => {
  const extraHeaders = JSON.parse('{"__proto__": "x", "constructor": "y"}');
  const { headers } = buildHttpResponse(200, 1, { extraHeaders });
  assertEquals(Object.entries(headers), [
    ["Content-Type", JSON_CONTENT_TYPE],
    ["__proto__", "x"],
    ["constructor", "y"],
  ]);
  assertEquals(Object.getPrototypeOf(headers), Object.prototype);
});

for (
  const [name, value, problem] of [
    ["X A", "1", "its name is no token"],
    ["", "1", "its name is no token"],
    ["X:", "1", "its name is no token"],
    ["X\n", "1", "its name is no token"],
    ["Ü", "1", "its name is no token"],
    ["X", 1, "its value is no string"],
    ["X", undefined, "its value is no string"],
    ["X", null, "its value is no string"],
    ["X", "a\r\nSet-Cookie: b", "its value contains CR, LF or NUL"],
    ["X", "a\n", "its value contains CR, LF or NUL"],
    ["X", "\0", "its value contains CR, LF or NUL"],
  ] as const
) {
  Deno.test(`buildHttpResponse() refuses the extra header ${JSON.stringify({ [name]: value })}`, () => {
    const extraHeaders = { [name]: value } as Record<string, string>;
    for (const status of [200, 204]) {
      const error = assertThrows(() => buildHttpResponse(status, 1, { extraHeaders }), TypeError);
      assertEquals(error.message, `Cannot add the header ${JSON.stringify(name)}: ${problem}`);
    }
  });
}

Deno.test("buildHttpResponse() refuses extra headers that are no plain object", () => {
  for (const extraHeaders of [null, [], "x", new Map(), new Headers({ a: "b" })] as never[]) {
    assertThrows(
      () => buildHttpResponse(200, 1, { extraHeaders }),
      TypeError,
      "Cannot add the extra headers: expected a plain object",
    );
  }
});
