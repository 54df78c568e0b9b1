import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { gunzipSync } from "node:zlib";
import { Buffer } from "node:buffer";
import { CloudEventSpecificationError, type JsonValue } from "../../function/mod.ts";
import type { HttpResponse } from "./http_response.ts";
import { FnProxyEvent } from "../event/proxy_event.ts";
import { buildHttpResponse, type ResponseOptions } from "./build_response.ts";
import { simpleMessage } from "./transformer.ts";
import { JSON_UTF8 } from "../testdata/events.ts";

function request(headers: JsonValue): FnProxyEvent {
  return new FnProxyEvent({ headers });
}

/** The text that a client reads. */
function contentOf({ body, isBase64Encoded, headers }: HttpResponse): string {
  if (!isBase64Encoded) return body;
  const bytes = Buffer.from(body, "base64");
  assertEquals(bytes.toString("base64"), body, "a flagged body must be base64");
  return (headers["Content-Encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
}

Deno.test("buildHttpResponse() answers in JSON without a request", () => {
  for (const payload of [{ a: [1] }, null, 0, false, [], {}, [""]]) {
    assertEquals(buildHttpResponse(200, payload), {
      statusCode: 200,
      headers: { "Content-Type": JSON_UTF8 },
      body: JSON.stringify(payload, null, 2),
      isBase64Encoded: false,
    });
  }
});

Deno.test("buildHttpResponse() wraps a payload that is a string, for transformers too", () => {
  assertEquals(JSON.parse(buildHttpResponse(200, "Hello").body), { Message: "Hello" });
  const response = buildHttpResponse(200, "Hello", {
    event: request({ Accept: "text/plain" }),
    customTransformers: { "text/plain": ({ Message }) => [Message, "text/plain"] },
  });
  assertEquals(response.body, "Hello");
  assertEquals(simpleMessage("x"), { Message: "x" });
});

Deno.test("buildHttpResponse() replaces half a surrogate pair, as every encoder of UTF-8 does", () => {
  const response = buildHttpResponse(200, null, {
    event: request({ Accept: "text/plain", "Accept-Encoding": "gzip" }),
    customTransformers: { "text/plain": () => ["a\ud800", "text/plain"] },
  });
  assertEquals(contentOf(response), "a\ufffd");
});

Deno.test("buildHttpResponse() answers with 406 if no type is acceptable, whatever the status", () => {
  const response = buildHttpResponse(404, { a: 1 }, {
    event: request({ accept: "image/png", "accept-encoding": "gzip" }),
    customTransformers: { "Text/HTML": () => ["", "text/html"] },
    extraHeaders: {
      "X-Id": "7",
      "content-type": "text/csv",
      "Content-Encoding": "br",
      ETag: '"1"',
    },
  });
  assertEquals(response.statusCode, 406);
  assertEquals(response.headers, {
    "Content-Type": JSON_UTF8,
    "Content-Encoding": "gzip",
    "X-Id": "7",
    Vary: "Accept, Accept-Encoding",
  });
  assertEquals(JSON.parse(contentOf(response)), {
    Message: "No acceptable type: available are application/json, text/html",
  });
});

Deno.test("buildHttpResponse() compresses exactly if the request prefers gzip", () => {
  for (
    const [given, isGzipped] of [
      [undefined, false],
      ["", false],
      ["GZIP ; q = .5", true],
      ["gzip;q=0", false],
      ["deflate, br", false],
      ["gzipped, xgzip, x-gzi, identical", false],
    ] as const
  ) {
    const event = request(given === undefined ? {} : { "Accept-Encoding": given });
    const response = buildHttpResponse(200, { a: "ü" }, { event });
    assertEquals(response.headers["Content-Encoding"], isGzipped ? "gzip" : undefined, given);
    assertEquals(response.isBase64Encoded, isGzipped, given);
    assertEquals(JSON.parse(contentOf(response)), { a: "ü" });
    assertEquals(response.headers["Vary"], "Accept, Accept-Encoding");
  }
});

const BYTES = new Uint8Array([0, 255, 128, 10]);

Deno.test("buildHttpResponse() sends text as text, and everything else as base64", () => {
  for (
    const [rule, content, type, isBase64Encoded] of [
      ["text of a text type as it is", "<p>ü</p>", "text/html", false],
      ["text of a binary type as base64 of its UTF-8", "<p>ü</p>", "application/x-y", true],
      ["text of XML as text", "<svg>ü</svg>", "image/svg+xml", false],
      ["text of JSON as text", '{"ü":1}', "application/Problem+JSON ;charset=utf-8", false],
      ["text of a type that only looks so", "ü", "application/x; a=+json", true],
      ["bytes of JSON as base64", BYTES, "application/problem+json", true],
      ["bytes of a binary type as base64", BYTES, "image/png", true],
      ["bytes of a text type as base64", BYTES, "text/plain; charset=iso-8859-1", true],
      ["bytes of a part of a buffer", BYTES.subarray(1, 3), "image/png", true],
      ["Node's buffers", Buffer.from("ü"), "application/json", true],
      ["an empty text", "", "text/plain", false],
      ["empty bytes", new Uint8Array(), "image/png", true],
    ] as const
  ) {
    const bytes = Buffer.from(content as string);
    const options = (encoding: string): ResponseOptions<null> => ({
      event: request({ Accept: "x/y", "Accept-Encoding": encoding }),
      customTransformers: { "X/Y": () => [content, type] },
      // The type that counts is the transformer's.
      extraHeaders: { "X-Content-Type": "text/plain" },
    });
    const plain = buildHttpResponse(200, null, options(""));
    assertEquals(plain.isBase64Encoded, isBase64Encoded, rule);
    assertEquals(plain.body, isBase64Encoded ? bytes.toString("base64") : content);
    assertEquals(plain.headers["Content-Type"], type);
    const zipped = buildHttpResponse(200, null, options("gzip"));
    assertEquals(gunzipSync(Buffer.from(zipped.body, "base64")), bytes);
  }
});

Deno.test("buildHttpResponse() decides about base64 by the transformer's type, not by an extra header", () => {
  const response = buildHttpResponse(200, null, {
    event: request({ Accept: "x/y" }),
    customTransformers: { "x/y": () => ["a", "text/plain"] },
    extraHeaders: { "content-TYPE": "image/png" },
  });
  assertEquals(response.headers, { "content-TYPE": "image/png", Vary: "Accept, Accept-Encoding" });
  assertEquals([response.body, response.isBase64Encoded], ["a", false]);
});

Deno.test("buildHttpResponse() does not compress content that the caller encoded", () => {
  const response = buildHttpResponse(200, null, {
    event: request({ Accept: "x/y", "Accept-Encoding": "gzip" }),
    customTransformers: { "x/y": () => [BYTES, "text/plain"] },
    extraHeaders: { "content-encoding": "br" },
  });
  assertEquals(response.headers, {
    "Content-Type": "text/plain",
    "content-encoding": "br",
    Vary: "Accept", // Accept-Encoding was not consulted
  });
  assertEquals(response.body, Buffer.from(BYTES).toString("base64"));
});

Deno.test("buildHttpResponse() sends no content with 1xx, 204, 205 and 304, and does not use the payload", () => {
  for (const status of [100, 204, 205, 304]) {
    const response = buildHttpResponse(status, 1n, {
      event: request({ Accept: "image/png" }),
      extraHeaders: { Vary: "Origin", ETag: '"1"' },
    });
    const vary = status === 304 ? "Origin, Accept, Accept-Encoding" : "Origin";
    assertEquals(response, {
      statusCode: status,
      headers: { "Content-Type": JSON_UTF8, Vary: vary, ETag: '"1"' },
      body: "",
      isBase64Encoded: false,
    });
    const extraHeaders = { "content-type": "text/html" };
    assertEquals(buildHttpResponse(status, null, { extraHeaders }).headers, extraHeaders);
  }
});

Deno.test("buildHttpResponse() weakens a strong ETag of compressed content, and of the 304 for it", () => {
  for (
    const [accepted, given, sent] of [
      ["gzip", '"1"', 'W/"1"'],
      ["gzip", 'W/"1"', 'W/"1"'],
      ["identity", '"1"', '"1"'],
    ] as const
  ) {
    const event = request({ "Accept-Encoding": accepted });
    for (const status of [200, 304]) {
      const { headers } = buildHttpResponse(status, 1, { event, extraHeaders: { etag: given } });
      assertEquals(headers["etag"], sent, `${status} ${accepted} ${given}`);
      assertEquals(headers["Vary"], "Accept, Accept-Encoding");
      assertEquals("Content-Encoding" in headers, status === 200 && accepted === "gzip");
    }
  }
});

Deno.test("buildHttpResponse() refuses the raw event in place of an FnProxyEvent", () => {
  const options = { event: { headers: {} } as never };
  const message = "Invalid event: expected an FnProxyEvent";
  assertThrows(() => buildHttpResponse(200, {}, options), TypeError, message);
});

Deno.test("buildHttpResponse() refuses an invalid status", () => {
  for (const status of [0, 99, 600, 200.5, NaN, Infinity, -200, "200", undefined, null]) {
    const given = typeof status === "string" ? `"${status}"` : String(status);
    const message = `Invalid status ${given}: expected a whole number from 100 to 599`;
    assertThrows(() => buildHttpResponse(status as number, 1), RangeError, message);
  }
});

Deno.test("buildHttpResponse() answers an event with unusable headers if the status is an error", () => {
  for (const raw of [{}, { headers: 1 }, { headers: { "accept-encoding": 5 } }]) {
    const event = new FnProxyEvent(raw);
    assertThrows(() => buildHttpResponse(200, 1, { event }), CloudEventSpecificationError);
    assertEquals(buildHttpResponse(500, "x", { event }).headers, {
      "Content-Type": JSON_UTF8,
      Vary: "Accept, Accept-Encoding",
    });
  }
});

function freezeDeeply<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(freezeDeeply);
  return Object.freeze(value);
}

Deno.test("buildHttpResponse() changes none of its arguments, and sends any JSON unchanged", () => {
  const headers = fc.record({
    accept: fc.constantFrom("*/*", "application/json", "image/png", "application/*;q=0.1"),
    "Accept-Encoding": fc.constantFrom("", "gzip", "x-gzip;q=0.1", "identity"),
  }, { requiredKeys: [] });
  fc.assert(fc.property(fc.jsonValue(), headers, (payload, headers) => {
    fc.pre(typeof payload !== "string");
    const png = (value: unknown) => [JSON.stringify(value), "image/png"] as const;
    const options = freezeDeeply({
      event: request(headers as Record<string, string>),
      customTransformers: { "image/png": png },
      extraHeaders: { Vary: "Origin" },
    });
    const response = buildHttpResponse(200, freezeDeeply(payload), options);
    assertEquals(JSON.parse(contentOf(response)), JSON.parse(JSON.stringify(payload)));
    const names = Object.keys(response.headers).map((name) => name.toLowerCase());
    assertEquals(new Set(names).size, names.length);
  }));
});
