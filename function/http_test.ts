import { assertEquals, assertThrows } from "@std/assert";
import { asResponse, buildHttpResponse, proxyHandler, reply } from "../gateway/mod.ts";
import { httpStream } from "../runtime/mod.ts";
import { remember } from "./http.ts";
import { call, proxyEvent, proxyResponse } from "../testing/mod.ts";

/** RFC 9110 §5.5 and §5.6.2: a value has no control character but the tab, and a name is a token. */
const FIELDS: readonly (readonly [name: string, value: string, isValid: boolean])[] = [
  ["X-A", "a", true],
  ["X-A", "", true],
  ["X-A", "a\tb", true],
  ["X-A", "é\x80", true],
  ["!#$%&'*+-.^_`|~9z", "a", true],
  ...Array.from({ length: 32 }, (_, code) => code).filter((code) => code !== 9)
    .map((code) => ["X-A", `a${String.fromCharCode(code)}b`, false] as const),
  ["X-A", "\x7f", false],
  ...["", "X A", "X:", "X\n", "Ü", '"', "(", "/", "\x7f"].map((name) =>
    [name, "a", false] as const
  ),
];

const isAccepted = async (use: () => unknown): Promise<boolean> => {
  try {
    await use();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};

async function* nothing() {}

Deno.test("one rule for the names and values of header fields holds everywhere", async () => {
  const uses: Record<string, (headers: Record<string, string>) => unknown> = {
    "buildHttpResponse()": (extraHeaders) => buildHttpResponse(200, 1, { extraHeaders }),
    "reply()": (headers) => reply(200, 1, { headers }),
    "asResponse()": (headers) => asResponse({ statusCode: 200, headers }),
    "the multi-value map of asResponse()": (headers) => {
      const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
      return asResponse({ statusCode: 200, multiValueHeaders: Object.fromEntries(lists) });
    },
    "the options of a handler": (extraHeaders) => proxyHandler(() => 1, { extraHeaders }),
    "the prelude of a stream": (headers) => httpStream({ headers }, nothing()),
    "proxyResponse()": (headers) => proxyResponse({ statusCode: 200, headers, body: "" }),
    "proxyEvent()": (headers) => proxyEvent({ url: "/", headers }),
    "proxyEvent(), in pairs": (headers) =>
      proxyEvent({ url: "/", headers: Object.entries(headers) }),
    "call()": (headers) => call(() => ({ statusCode: 200, body: "" }), { url: "/", headers }),
  };
  for (const [where, use] of Object.entries(uses)) {
    for (const [name, value, isValid] of FIELDS) {
      const what = `${where}: ${JSON.stringify([name, value])}`;
      assertEquals(await isAccepted(() => use({ [name]: value })), isValid, what);
    }
  }
  for (const value of [5, null, ["a"]]) {
    const headers = { "X-A": value as never };
    assertThrows(() => httpStream({ headers }, nothing()), TypeError);
    assertEquals(await isAccepted(() => proxyEvent({ url: "/", headers })), false, String(value));
  }
});

Deno.test("vary() takes one token", async () => {
  for (const name of ["a b", "", "a, b", "a,b", "Ü", "a\n", undefined, 5]) {
    const handler = proxyHandler(() => 1, {
      use: [async (_event, _context, next) => (await next()).headers.vary(name as string)],
    });
    const { status } = await call(handler, { url: "/" });
    assertEquals(status, 500, JSON.stringify(name));
  }
});

Deno.test("cookies follow the rule of header values", () => {
  for (const cookie of ["a=\x01", "a=\x7f", "a\r\nb"]) {
    assertThrows(() => reply(200, 1, { cookies: [cookie] }), TypeError, "Invalid cookie");
    assertThrows(() => asResponse({ statusCode: 200, cookies: [cookie] }), TypeError);
    assertThrows(() => httpStream({ cookies: [cookie] }, nothing()), TypeError);
  }
});

Deno.test("remember() makes each result once, for 100 short texts and never for an error", () => {
  const made: string[] = [];
  const fold = remember((text) => {
    made.push(text);
    if (text === "") throw new TypeError("empty");
    return text.toLowerCase();
  });
  const texts = Array.from({ length: 101 }, (_, index) => `A${index}`);
  for (const text of ["", "", "B".repeat(100), "B".repeat(100), ...texts, ...texts]) {
    if (text === "") assertThrows(() => fold(text), TypeError);
    else assertEquals(fold(text), text.toLowerCase());
  }
  assertEquals(made, ["", "", "B".repeat(100), "B".repeat(100), ...texts, "A100"]);
});
