import { assert, assertEquals, assertThrows } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import { parseCookie } from "cookie";
import fc from "fast-check";
import { MalformedPayloadError } from "./body.ts";
import { FnProxyEvent } from "./proxy_event.ts";

const sent = (body: string | Uint8Array, contentType?: string) =>
  new FnProxyEvent({
    headers: contentType === undefined ? {} : { "Content-Type": contentType },
    body: typeof body === "string" ? body : encodeBase64(body),
    isBase64Encoded: typeof body !== "string",
  });

Deno.test("bytes() and text() return the body, whether it is in base64 or not", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const bytes = new TextEncoder().encode(text);
    for (const event of [sent(text), sent(bytes)]) {
      assertEquals(event.bytes(), bytes);
      assertEquals(event.text(), text.replace(/^\uFEFF/, ""));
    }
  }));
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals(sent(bytes).bytes(), bytes.slice());
  }));
});

Deno.test("bytes() and text() are empty if there is no body", () => {
  const event = new FnProxyEvent({ headers: {}, body: null });
  assertEquals([event.bytes(), event.text()], [new Uint8Array(), ""]);
  const balancer = { requestContext: { elb: {} }, headers: {}, body: "" };
  assertEquals(new FnProxyEvent(balancer).queryPayload(), null);
});

Deno.test("text() removes one byte order mark and refuses bytes that are not UTF-8", () => {
  assertEquals(sent("\uFEFFa").text(), "a");
  assertEquals(sent(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).text(), "a");
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0x61, 0x80]]) {
    const error = assertThrows(() => sent(new Uint8Array(bytes)).text(), MalformedPayloadError);
    assertEquals(error.message, "Cannot parse the payload: it is not UTF-8");
    assertEquals(sent(new Uint8Array(bytes)).bytes(), new Uint8Array(bytes));
  }
});

/** The body and the content type with which a standard request sends a form. */
Deno.test("cookies() reads the Cookie header as browsers send it", () => {
  for (
    const [header, expected] of [
      ["", {}],
      ["a=1; b=2", { a: "1", b: "2" }],
      ["a=1;b=2", { a: "1", b: "2" }],
      ["a=1; a=2", { a: "1" }],
      ['a="x y"; b="', { a: "x y", b: '"' }],
      ["a=%C3%A9; b=100%; c=%FF", { a: "é", b: "100%", c: "%FF" }],
      ["a=b=c; d", { a: "b=c" }],
      ["A=1; a=2", { A: "1", a: "2" }],
      ["__proto__=1", JSON.parse('{"__proto__":"1"}')],
    ] as const
  ) {
    assertEquals<unknown>(new FnProxyEvent({ headers: { Cookie: header } }).cookies(), expected);
  }
  assertEquals(new FnProxyEvent({ headers: {} }).cookies(), {});
});

Deno.test("cookies() reads a header as the library cookie does, except for quotes", () => {
  const name = fc.constantFrom("a", "b", " c ", "", "toString", "__proto__", "a\t");
  const value = fc.constantFrom("1", "", "x=y", "%20%22", "%1", " a b ", "a,b", "Magic+Mouse");
  const pair = fc.oneof(
    fc.tuple(name, value).map((pair) => pair.join("=")),
    fc.constantFrom("fizz", " ", ""),
  );
  fc.assert(fc.property(fc.array(pair, { maxLength: 5 }), (pairs) => {
    const header = pairs.join(";");
    fc.pre(header !== "="); // the library does not read a header of one character
    const event = new FnProxyEvent({ headers: { Cookie: header } });
    assertEquals(event.cookies(), { ...parseCookie(header) }, header);
  }));
  const quoted = new FnProxyEvent({ headers: { Cookie: 'a="1"' } });
  assertEquals([quoted.cookies()["a"], parseCookie('a="1"')["a"]], ["1", '"1"']);
});

Deno.test("toRequest() carries text that is not Latin-1 as UTF-8, and drops the body of a GET", async () => {
  const requestContext = { httpMethod: "GET", domainName: "a.example", path: "/" };
  const raw = { headers: { "X-Name": "🧀", "X-City": "Zürich" }, body: "x", requestContext };
  const request = new FnProxyEvent({ ...raw, queryStringParameters: null }).toRequest();
  const bytes = Uint8Array.from(request.headers.get("x-name")!, (byte) => byte.charCodeAt(0));
  assertEquals(new TextDecoder().decode(bytes), "🧀");
  assertEquals(request.headers.get("x-city"), "Zürich");
  assertEquals(await request.text(), "");
  assert(request.body === null);
});
