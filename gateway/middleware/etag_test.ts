import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import fresh from "fresh";
import { ask } from "../testdata/events.ts";
import { etag, reply } from "../mod.ts";

Deno.test("etag() tags responses to GET and HEAD with 200 by their content", async () => {
  const tagOf = async (route: unknown, method: string, headers = {}) =>
    (await ask(route, { use: [etag()] }, { method, headers })).result.headers["ETag"];
  const tag = await tagOf(() => ({ a: 1 }), "GET");
  assert(/^"[\w+/]{43}="$/.test(tag!), tag);
  assertEquals(await tagOf(() => ({ a: 1 }), "HEAD"), tag);
  assert(await tagOf(() => ({ a: 2 }), "GET") !== tag);
  assertEquals(await tagOf(() => ({ a: 1 }), "POST"), undefined);
  assertEquals(await tagOf(() => reply(201, { a: 1 }), "GET"), undefined);
  assertEquals(await tagOf(() => reply(200, 1, { headers: { ETag: '"mine"' } }), "GET"), '"mine"');
  const long = () => ({ a: "x".repeat(2000) });
  const compressed = await tagOf(long, "GET", { "Accept-Encoding": "gzip" });
  assertEquals(compressed, `W/${await tagOf(long, "GET")}`);
});

Deno.test("etag() answers a 304 with the header fields that the 200 has, and no content", async () => {
  const route = () => reply(200, "x".repeat(2000), { headers: { "Cache-Control": "max-age=60" } });
  const headers = { "Accept-Encoding": "gzip" };
  const full = await ask(route, { use: [etag()] }, { headers });
  const again = { ...headers, "If-None-Match": full.result.headers["ETag"]! };
  const { result } = await ask(route, { use: [etag()] }, { headers: again });
  assertEquals([result.statusCode, result.body, result.isBase64Encoded], [304, "", false]);
  for (const name of ["ETag", "Vary", "Cache-Control"]) {
    assertEquals(result.headers[name], full.result.headers[name], name);
  }
  assertEquals(result.headers["Content-Encoding"], undefined);
});

Deno.test("etag() decides about If-None-Match and If-Modified-Since as the library fresh does", async () => {
  const tags = ['"a"', 'W/"a"', '"b"', "*", '"a", "b"', ' W/"b" ,"a"'];
  const dates = ["Wed, 21 Oct 2015 07:28:00 GMT", "Thu, 22 Oct 2015 07:28:00 GMT", "never"];
  const maybe = <T>(values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  await fc.assert(fc.asyncProperty(
    fc.constantFrom('"a"', 'W/"a"'),
    maybe(dates),
    maybe(tags),
    maybe(dates),
    async (tag, modified, noneMatch, since) => {
      const headers: Record<string, string> = {};
      if (noneMatch !== undefined) headers["if-none-match"] = noneMatch;
      if (since !== undefined) headers["if-modified-since"] = since;
      const own = { etag: tag, ...modified !== undefined && { "last-modified": modified } };
      const route = () => reply(200, 1, { headers: own });
      const { result } = await ask(route, { use: [etag()] }, { headers });
      // RFC 9110 §13.1.3: an invalid date is ignored, and without Last-Modified there is nothing to compare.
      const expected = fresh(headers, own) ? 304 : 200;
      assertEquals(result.statusCode, expected, JSON.stringify([own, headers]));
    },
  ));
});

Deno.test("etag() answers 412 if If-Match or If-Unmodified-Since is false, in the order of RFC 9110", async () => {
  const [early, late] = ["Wed, 21 Oct 2015 07:28:00 GMT", "Thu, 22 Oct 2015 07:28:00 GMT"];
  const own = { ETag: '"a"', "Last-Modified": late };
  for (
    const [headers, status] of [
      [{ "If-Match": '"a"' }, 200],
      [{ "If-Match": '"b", "a"' }, 200],
      [{ "If-Match": "*" }, 200],
      [{ "If-Match": '"b"' }, 412],
      [{ "If-Match": 'W/"a"' }, 412],
      [{ "If-Unmodified-Since": early }, 412],
      [{ "If-Unmodified-Since": late }, 200],
      [{ "If-Unmodified-Since": "never" }, 200],
      [{ "If-Match": '"a"', "If-Unmodified-Since": early }, 200],
      [{ "If-Match": '"b"', "If-None-Match": '"a"' }, 412],
      [{ "If-Match": '"a"', "If-None-Match": '"a"' }, 304],
      [{ "If-None-Match": '"b"', "If-Modified-Since": late }, 200],
      [{ "If-None-Match": '"x,y", "a"' }, 304], // fresh splits tags at their commas
      [{ "If-Modified-Since": late }, 304],
      [{ "If-Modified-Since": early }, 200],
      [{ "If-Modified-Since": new Date(Date.now() + 86_400_000).toUTCString() }, 200], // §13.1.3
    ] as const
  ) {
    const route = () => reply(200, 1, { headers: own });
    const given: Record<string, string> = headers;
    for (const method of ["GET", "PUT"]) {
      const { result } = await ask(route, { use: [etag()] }, { method, headers: given });
      const name = `${method} ${JSON.stringify(headers)}`;
      assertEquals(result.statusCode, method === "GET" ? status : 200, name);
    }
  }
});
