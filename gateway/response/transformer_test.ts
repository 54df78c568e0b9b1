import { assertEquals, assertThrows } from "@std/assert";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { buildHttpResponse } from "./response.ts";
import type { Transformer } from "./transformer.ts";

const request = (headers: Record<string, string>) => new FnProxyEvent({ headers });

Deno.test("buildHttpResponse() refuses an invalid transformer", () => {
  const result =
    'Invalid result of the transformer of "text/html": expected [content, content type]';
  for (
    const [transformer, message] of [
      ["x", 'Invalid customTransformers: expected a function for "text/html"'],
      [() => undefined, result],
      [() => "<p>", result],
      [async () => await ["", ""], result],
      [() => ["x"], result],
      [() => [1, "text/html"], result],
      [() => [new ArrayBuffer(1), "a/b"], result],
      [() => [{ [Symbol.toStringTag]: "Uint8Array" }, "a/b"], result],
      [() => ["x", undefined], result],
      [() => ["x", ""], result],
      [() => ["x", "a/b\r\nX: y"], result],
    ] as const
  ) {
    const event = request({ Accept: "text/html" });
    const customTransformers = { "text/html": transformer as never };
    assertThrows(
      () => buildHttpResponse(200, 1, { event, customTransformers }),
      TypeError,
      message,
      String(transformer),
    );
  }
});

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

Deno.test("buildHttpResponse() tells a transformer the status and the request", () => {
  const event = request({ Accept: "text/html" });
  const seen: unknown[] = [];
  const customTransformers: Record<string, Transformer> = {
    "text/html": (_payload, info) => (seen.push(info), ["", "text/html"]),
  };
  buildHttpResponse(201, 1, { event, customTransformers });
  assertEquals(seen, [{ status: 201, event, error: undefined }]);
});

Deno.test("buildHttpResponse() passes on the error of a transformer", () => {
  const raise = () => {
    throw new RangeError("mine");
  };
  const customTransformers = { "application/json": raise };
  assertThrows(() => buildHttpResponse(200, 1, { customTransformers }), RangeError, "mine");
});
