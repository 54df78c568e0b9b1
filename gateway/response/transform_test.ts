import { assert, assertEquals, assertThrows } from "@std/assert";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { buildHttpResponse } from "./response.ts";

const request = (headers: Record<string, string>) => new FnProxyEvent({ headers });

for (
  const [what, transformer, problem] of [
    ["is no function", "x", "is no function"],
    ["returns nothing", () => undefined, "did not return an array of content and content type"],
    ["returns text", () => "<p>", "did not return an array of content and content type"],
    ["returns a promise", async () => await ["", ""], "did not return an array of content"],
    ["returns one item", () => ["x"], "did not return an array of content and content type"],
    ["returns a number", () => [1, "text/html"], "returned a content that is neither a string nor"],
    ["returns an ArrayBuffer", () => [new ArrayBuffer(1), "a/b"], "returned a content that is"],
    [
      "returns what looks like bytes",
      () => [{ [Symbol.toStringTag]: "Uint8Array" }, "a/b"],
      "neither",
    ],
    ["returns no type", () => ["x", undefined], "returned undefined as content type"],
    ["returns an empty type", () => ["x", ""], 'returned "" as content type'],
    ["returns two headers", () => ["x", "a/b\r\nX: y"], 'returned "a/b\\r\\nX: y" as content type'],
  ] as const
) {
  Deno.test(`buildHttpResponse() refuses a transformer that ${what}`, () => {
    const error = assertThrows(
      () =>
        buildHttpResponse(200, 1, {
          event: request({ Accept: "text/html" }),
          customTransformers: { "text/html": transformer as never },
        }),
      TypeError,
      'Cannot transform the payload: the transformer of "text/html"',
    );
    assert(error.message.includes(problem), error.message);
  });
}

Deno.test("buildHttpResponse() uses a transformer of JSON of one's own, in any case", () => {
  for (const key of ["application/json", "Application/JSON"]) {
    const customTransformers = { [key]: () => ["{}", "application/json"] as const };
    const response = buildHttpResponse(200, { a: 1 }, { customTransformers });
    assertEquals([response.body, response.headers["Content-Type"]], ["{}", "application/json"]);
  }
});

Deno.test("buildHttpResponse() lets the transformer of a range name the type", () => {
  const { headers } = buildHttpResponse(200, 1, {
    event: request({ Accept: "image/*" }),
    customTransformers: { "image/*": () => [new Uint8Array(3), "image/webp"] },
  });
  assertEquals(headers["Content-Type"], "image/webp");
});

Deno.test("buildHttpResponse() passes on what a transformer throws", () => {
  const customTransformers = {
    "application/json": (): never => {
      throw new RangeError("mine");
    },
  };
  assertThrows(() => buildHttpResponse(200, 1, { customTransformers }), RangeError, "mine");
});
