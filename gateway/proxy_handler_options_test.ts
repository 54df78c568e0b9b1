import { assertEquals, assertThrows } from "@std/assert";
import { proxyHandler, type Transformer } from "./mod.ts";

const html = (payload: unknown) => [`<p>${JSON.stringify(payload)}</p>`, "text/html"] as const;

Deno.test("proxyHandler() reads its options once", async () => {
  const extraHeaders: Record<string, string> = { "X-A": "1", "x-a": "2" };
  const customTransformers: Record<string, Transformer> = { "text/html": html };
  const handler = proxyHandler(() => ({}), { extraHeaders, customTransformers });
  extraHeaders["bad name"] = "\n";
  customTransformers["text/html"] = null!;
  const { statusCode, headers } = await handler({ headers: { Accept: "text/html" } });
  assertEquals(statusCode, 200);
  assertEquals(Object.entries(headers).filter(([name]) => /^x-a$/i.test(name)), [["x-a", "2"]]);
});

for (
  const [name, route, options, problem] of [
    ["no route", undefined, undefined, "expected a function as route, got undefined"],
    ["a route that is null", null, undefined, "expected a function as route, got null"],
    ["a route that is an object", {}, undefined, "expected a function as route, got object"],
    ["options that are null", () => {}, null, "expected an object of options, got null"],
    ["options that are a string", () => {}, "x", "expected an object of options, got string"],
    ["a client message", () => {}, { clientMessage: 5 }, "a string as client message, got number"],
    ["a client message of null", () => {}, { clientMessage: null }, "client message, got null"],
    ["a header name", () => {}, { extraHeaders: { "a b": "c" } }, '"a b"'],
    ["an empty header name", () => {}, { extraHeaders: { "": "c" } }, '""'],
    ["a header value", () => {}, { extraHeaders: { a: 5 } }, '"a"'],
    ["a header value of two lines", () => {}, { extraHeaders: { a: "b\r\nc" } }, '"a"'],
    ["extra headers that are a list", () => {}, { extraHeaders: [] }, "extra headers"],
    ["transformers that are a list", () => {}, { customTransformers: [] }, "customTransformers"],
    ["a media type", () => {}, { customTransformers: { html } }, '"html"'],
    [
      "a transformer",
      () => {},
      { customTransformers: { "text/html": "x" } },
      'expected a function as transformer of "text/html", got string',
    ],
    [
      "a transformer of null",
      () => {},
      { customTransformers: { "text/html": null } },
      'expected a function as transformer of "text/html", got null',
    ],
  ] as const
) {
  Deno.test(`proxyHandler() refuses ${name} when the handler is made`, () => {
    assertThrows(() => proxyHandler(route as never, options as never), TypeError, problem);
  });
}

Deno.test("proxyHandler() refuses extra headers that throw when the handler is made", () => {
  const extraHeaders = {
    get "X-A"(): string {
      throw new RangeError("unreadable");
    },
  };
  assertThrows(() => proxyHandler(() => "done", { extraHeaders }), RangeError, "unreadable");
});
