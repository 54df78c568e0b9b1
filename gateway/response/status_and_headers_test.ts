import { assertEquals, assertThrows } from "@std/assert";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { JSON_UTF8 } from "../testdata/events.ts";
import { buildHttpResponse } from "./build_response.ts";
import { AnswerHeaders } from "./status_and_headers.ts";

const event = new FnProxyEvent({ headers: null });

Deno.test("buildHttpResponse() merges a Vary of the caller with the consulted headers", () => {
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
    const extraHeaders = { VARY: vary };
    const { headers } = buildHttpResponse(200, 1, { event, extraHeaders });
    assertEquals(headers, { "Content-Type": JSON_UTF8, VARY: expected });
    const without = buildHttpResponse(200, 1, { extraHeaders });
    assertEquals(without.headers["VARY"], vary, "without a request, no header is consulted");
  }
});

Deno.test("buildHttpResponse() takes the last of two spellings of an extra header", () => {
  const extraHeaders = { "x-a": "1", "X-A": "2", VARY: "a", vary: "b" };
  assertEquals(buildHttpResponse(200, 1, { event, extraHeaders }).headers, {
    "Content-Type": JSON_UTF8,
    "X-A": "2",
    vary: "b, Accept, Accept-Encoding",
  });
});

Deno.test("buildHttpResponse() treats __proto__ as any other name of a header", () => {
  const extraHeaders = JSON.parse('{"__proto__": "x", "constructor": "y"}');
  const { headers } = buildHttpResponse(200, 1, { extraHeaders });
  const own = Object.entries(extraHeaders);
  assertEquals(Object.entries(headers), [...own, ["Content-Type", JSON_UTF8]]);
  assertEquals(Object.getPrototypeOf(headers), Object.prototype);
});

Deno.test("buildHttpResponse() sends several values of an extra header", () => {
  const extraHeaders = { "Set-Cookie": ["a=1", "b=2"], "X-A": ["1"], "X-B": [] };
  const { headers, multiValueHeaders } = buildHttpResponse(200, 1, { extraHeaders });
  assertEquals(headers, { "Content-Type": JSON_UTF8, "X-A": "1" });
  assertEquals(multiValueHeaders, { "Set-Cookie": ["a=1", "b=2"] });
});

Deno.test("buildHttpResponse() refuses invalid extra headers", () => {
  const value = 'Invalid value of the header "X": expected a string without control characters';
  for (
    const [extraHeaders, message] of [
      ...["X A", "", "X:", "X\n", "Ü"].map((name) =>
        [{ [name]: "1" }, `Invalid header name ${JSON.stringify(name)}: expected a token`] as const
      ),
      ...[1, undefined, null, "a\r\nSet-Cookie: b", "a\n", "\0", ["a", "b\n"]].map((X) =>
        [{ X }, value] as const
      ),
      ...[null, [], "x", new Map(), new Headers({ a: "b" })].map((headers) =>
        [headers, "Invalid headers: expected a plain object"] as const
      ),
    ] as const
  ) {
    const options = { extraHeaders: extraHeaders as never };
    for (const status of [200, 204]) {
      const error = assertThrows(() => buildHttpResponse(status, 1, options), TypeError);
      assertEquals(error.message, message);
    }
  }
});

Deno.test("vary() takes one token, each time, and names it once", () => {
  const headers = new AnswerHeaders();
  for (const name of ["", "a b", "Accept, Origin", "é", "a\n", 7, undefined]) {
    // a refused name is not remembered as a valid one, whatever the list
    for (let time = 0; time < 2; time++) {
      const error = assertThrows(() => headers.vary(name as string), TypeError);
      assertEquals(error.message, `Invalid header name ${JSON.stringify(name)}: expected a token`);
    }
    headers.vary("Origin");
    headers.vary("origin");
    assertEquals(headers.get("Vary"), "Origin");
  }
});
