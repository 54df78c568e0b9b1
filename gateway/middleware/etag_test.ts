import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import fresh from "fresh";
import { ask, eventWith } from "../testdata/events.ts";
import { etag, reply, streamHandler } from "../mod.ts";

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
  // A Content-Length of the plain content is wrong for the 200 that is compressed (RFC 9110 §8.6).
  const own = { "Cache-Control": "max-age=60", "Content-Length": "2000" };
  const route = () => reply(200, "x".repeat(2000), { headers: own });
  const headers = { "Accept-Encoding": "gzip" };
  const full = await ask(route, { use: [etag()] }, { headers });
  const again = { ...headers, "If-None-Match": full.result.headers["ETag"]! };
  const { result } = await ask(route, { use: [etag()] }, { headers: again });
  assertEquals([result.statusCode, result.body, result.isBase64Encoded], [304, "", false]);
  for (const name of ["ETag", "Vary", "Cache-Control", "Content-Length"]) {
    assertEquals(result.headers[name], full.result.headers[name], name);
  }
  assertEquals(result.headers["Content-Encoding"], undefined);
  const { "If-None-Match": match } = again;
  const plain = await ask(route, { use: [etag()] }, {
    headers: { "If-None-Match": match.replace("W/", "") },
  });
  assertEquals([plain.result.statusCode, plain.result.headers["Content-Length"]], [304, undefined]);
});

Deno.test("If-Match compares strongly: a weak tag, and a content without a tag, match none (RFC 9110 §13.1.1)", async () => {
  async function* stream() {
    yield await Promise.resolve("x");
  }
  for (
    const [route, match, status] of [
      [() => reply(200, 1, { headers: { ETag: 'W/"a"' } }), 'W/"a"', 412],
      [() => reply(200, 1, { headers: { ETag: 'W/"a"' } }), '"a"', 412],
      [() => reply(200, 1, { headers: { ETag: 'W/"a"' } }), "*", 200],
      [() => reply(200, 1, { headers: { ETag: '"a"' } }), 'W/"a"', 412],
      [() => reply(200, 1, { headers: { ETag: '"a"' } }), '"a"', 200],
    ] as const
  ) {
    const { result } = await ask(route, { use: [etag()] }, { headers: { "If-Match": match } });
    assertEquals(result.statusCode, status, match);
  }
  for (const [match, status] of [['"a"', 412], ["*", 200]] as const) {
    const handler = streamHandler(() => stream(), { use: [etag()] });
    const { prelude } = await handler(eventWith({ "If-Match": match }));
    assertEquals(prelude.statusCode, status, `a stream without a tag: ${match}`);
  }
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

Deno.test("etag() takes the three dates of HTTP, and ignores all other values (RFC 9110 §5.6.7, §13.1.3, §13.1.4)", async () => {
  const modified = "Sun, 06 Nov 1994 08:49:37 GMT";
  const statusOf = async (name: string, value: string, own = modified) => {
    const route = () => reply(200, 1, { headers: { ETag: '"a"', "Last-Modified": own } });
    return (await ask(route, { use: [etag()] }, { headers: { [name]: value } })).result.statusCode;
  };
  const year = new Date().getUTCFullYear() % 100;
  const inTwoDigits = (years: number) => String((year + years + 100) % 100).padStart(2, "0");
  // The first three are the examples of §5.6.7. The others are a second earlier, or later.
  for (
    const [date, isBefore] of [
      ["Sun, 06 Nov 1994 08:49:37 GMT", false],
      ["Sunday, 06-Nov-94 08:49:37 GMT", false],
      ["Sun Nov  6 08:49:37 1994", false],
      ["Sun Nov 06 08:49:37 1994", false],
      ["Sun, 06 Nov 1994 08:49:36 GMT", true],
      ["Sunday, 06-Nov-94 08:49:36 GMT", true],
      ["Sun Nov  6 08:49:36 1994", true],
      ["Wed Nov 16 08:49:37 1994", false],
      // more than 50 years in the future is the past
      [`Monday, 06-Nov-${inTwoDigits(-1)} 08:49:37 GMT`, false],
      [`Monday, 06-Nov-${inTwoDigits(51)} 08:49:37 GMT`, true],
    ] as const
  ) {
    assertEquals(await statusOf("If-Modified-Since", date), isBefore ? 200 : 304, date);
    assertEquals(await statusOf("If-Unmodified-Since", date), isBefore ? 412 : 200, date);
  }
  // A date that is less than 50 years away is after the change, also in two digits.
  assertEquals(
    await statusOf("If-Modified-Since", `Monday, 06-Nov-${inTwoDigits(40)} 08:49:37 GMT`),
    304,
  );
  // RFC 9110 has no rule for a date in the future; RFC 2616 had one.
  const future = new Date(Date.now() + 86_400_000).toUTCString();
  assertEquals(await statusOf("If-Modified-Since", future), 304);
  assertEquals(await statusOf("If-Unmodified-Since", future), 200);
  assertEquals(await statusOf("If-Modified-Since", future, future), 304);
  const wrong = [
    "1",
    "2020",
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "",
    "never",
    "0",
    "-1",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "06 Nov 1994 08:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",

    "Sun Nov 6 08:49:37 1994",
    "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sun, 06-Nov-94 08:49:37 GMT",
    "Xyz, 06 Nov 1994 08:49:37 GMT",
    " Sun, 06 Nov 1994 08:49:37 GMTx",
    "Sun, 06 Nov 94 08:49:37 GMT",
    "11/06/2020",
    "November 6, 2020",
  ];
  for (const date of wrong) {
    assertEquals(await statusOf("If-Modified-Since", date), 200, date);
    assertEquals(await statusOf("If-Unmodified-Since", date), 200, date);
    // an invalid Last-Modified counts as absent
    assertEquals(await statusOf("If-Modified-Since", modified, date), 200, date);
    assertEquals(await statusOf("If-Unmodified-Since", "Sat, 05 Nov 1904 08:49:37 GMT", date), 200);
  }
});

Deno.test("etag() answers 412 if If-Match or If-Unmodified-Since is false, in the order of RFC 9110", async () => {
  const [early, late] = ["Wed, 21 Oct 2015 07:28:00 GMT", "Thu, 22 Oct 2015 07:28:00 GMT"];
  const own = { ETag: '"a"', "Last-Modified": late };
  for (
    const [headers, status] of [
      [{ "If-Match": '"a"' }, 200],
      [{ "If-Match": '"b", "a"' }, 200],
      [{ "If-Match": "*" }, 200],
      [{ "If-Match": " * " }, 200],
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
      [{ "If-Modified-Since": new Date(Date.now() + 86_400_000).toUTCString() }, 304],
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
