import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { buildHttpResponse } from "./build_response.ts";
import { jsonTransformer, type Transformer, writeJson } from "./transformer.ts";

const request = (headers: Record<string, string>) => new FnProxyEvent({ headers });

Deno.test("buildHttpResponse() refuses an invalid transformer", () => {
  const result =
    'Invalid result of the transformer of "text/html": expected [string or Uint8Array, content type]';
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

Deno.test("jsonTransformer() writes any JSON, indented by two", () => {
  fc.assert(fc.property(fc.jsonValue(), (payload) => {
    assertEquals(jsonTransformer(payload), [
      JSON.stringify(payload, null, 2),
      "application/json; charset=utf-8",
    ]);
    assertEquals(writeJson(payload, 0), JSON.stringify(payload));
  }));
});

Deno.test("jsonTransformer() writes objects with toJSON(), and leaves out what JSON leaves out", () => {
  const payload = { at: new Date(0), no: undefined, none: () => {}, toJSON: undefined };
  assertEquals(JSON.parse(jsonTransformer(payload)[0]), { at: "1970-01-01T00:00:00.000Z" });
  assertEquals(jsonTransformer({ toJSON: () => [1] })[0], "[\n  1\n]");
});

/** An object whose `toJSON()` makes new objects without end. */
const endless = (): unknown => ({ toJSON: () => ({ next: endless() }) });
const cycle: Record<string, unknown> = {};
cycle["self"] = [cycle];

Deno.test("jsonTransformer() refuses a payload that JSON cannot carry", () => {
  let deep: unknown[] = [];
  for (let depth = 0; depth < 50_000; depth++) deep = [deep];
  const broken = {
    toJSON: () => {
      throw new Error("mine");
    },
  };
  const cases: [name: string, payload: unknown, problem: string][] = [
    ["undefined", undefined, '"payload" is undefined'],
    ["a function", () => {}, '"payload" is a function'],
    ["a symbol", Symbol("x"), '"payload" is a symbol'],
    ["a toJSON() without result", { toJSON: () => undefined }, '"payload" is an object'],
    ["a bigint", { a: [1n] }, "BigInt"],
    ["a cycle", cycle, "property 'self'"],
    ["an error of the caller", [broken], "mine"],
    ["an endless toJSON()", endless(), "call stack"],
    ["a deep array", deep, "call stack"],
  ];
  for (const [name, payload, problem] of cases) {
    const error = assertThrows(() => jsonTransformer(payload), TypeError, undefined, name);
    assertEquals(error.message.startsWith("Cannot write the payload as JSON: "), true, name);
    assertEquals(error.message.includes(problem), true, `${name}: ${error.message}`);
    assertEquals(error.cause instanceof Error, !problem.startsWith('"payload"'), name);
  }
});

Deno.test("jsonTransformer() and writeJson() bound the indentation, which grows with the square of the depth", () => {
  const nested = (depth: number) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const list = (length: number) => Array.from({ length }, () => 1);
  for (
    const [payload, isIndented] of [
      [nested(500), true],
      [nested(4000), false],
      [list(10_000), true],
      [list(1_000_000), false],
      [[[[list(200_000)]]], false],
    ] as const
  ) {
    const compact = JSON.stringify(payload);
    const expected = isIndented ? JSON.stringify(payload, null, 2) : compact;
    for (const text of [jsonTransformer(payload)[0], writeJson(payload, 2)]) {
      assert(text === expected, `${text.length} characters of ${compact.length}`);
      assert(text.length < compact.length + 3_000_000);
    }
  }
  const wide: unknown[] = [];
  for (let count = 0; count < 10; count++) wide.push(wide);
  assertThrows(() => writeJson(wide, 2), TypeError, "Cannot write the payload as JSON");
  const deep = nested(4000);
  deep[0] = [new Map()];
  deep.push(nested(2000));
  assertThrows(() => writeJson(deep, 2), TypeError, '"payload[0][0]" is an instance of Map');
});

Deno.test("writeJson() names a value that JSON would leave out or write as {}", () => {
  class Empty {}
  const sent = { a: {}, b: new Empty(), c: Object.create(null), d: undefined, e: new Date(0) };
  writeJson(sent, 2);
  writeJson(new URL("https://example.com"), 2);
  const cases: [payload: unknown, problem: string][] = [
    [{ a: { b: [0, () => {}] } }, '"payload.a.b[1]" is a function'],
    [{ a: Symbol("x") }, '"payload.a" is a symbol'],
    [new Map([["a", 1]]), '"payload" is an instance of Map'],
    [[new Set([1])], '"payload[0]" is an instance of Set'],
    [{ headers: new Headers({ a: "b" }) }, '"payload.headers" is an instance of Headers'],
    [{ file: new Blob(["x"]) }, '"payload.file" is an instance of Blob'],
    [{ when: Promise.resolve(1) }, '"payload.when" is an instance of Promise'],
    [{ error: new Error("x") }, '"payload.error" is an instance of Error'],
    [{ bytes: new Uint8Array(2) }, '"payload.bytes" is an instance of Uint8Array'],
    [(function* () {})(), '"payload" is an instance of Generator'],
  ];
  for (const [payload, problem] of cases) {
    const message = `Cannot write the payload as JSON: ${problem}`;
    assertEquals(assertThrows(() => writeJson(payload, 2), TypeError).message, message);
  }
});
