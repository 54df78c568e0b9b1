import { assert, assertEquals } from "@std/assert";
import { encodeBase64 } from "@std/encoding/base64";
import fc from "fast-check";
import { handle } from "hono/aws-lambda";
import type { JsonObject } from "../../function/mod.ts";
import { type ClientRequest, fiveEvents } from "../testdata/five_events.ts";
import { FnProxyEvent } from "./proxy_event.ts";

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/);
/** Objects of JSON.parse() sort names that look like an index, so that the order of such names is lost. */
const name = fc.string({ unit: "grapheme", maxLength: 6 }).filter((text) => !/^\d+$/.test(text));
const part = fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 })
  .filter((text) => !/[/\\]|^\.+$/.test(text));

const request: fc.Arbitrary<ClientRequest> = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH"),
  host: fc.constantFrom("api.example.com", "127.0.0.1", "a-b.example"),
  path: fc.array(part, { maxLength: 4 }),
  query: fc.array(fc.tuple(name, fc.string({ unit: "grapheme", maxLength: 6 })), { maxLength: 6 }),
  headers: fc.dictionary(
    fc.constantFrom("accept", "content-language", "x-order", "authorization", "if-match"),
    fc.stringMatching(/^[!-~]([ -~]{0,10}[!-~])?$/),
  ),
  cookies: fc.array(
    fc.tuple(token, fc.stringMatching(/^[!#-+\--:<-[\]-~]{0,8}$/)).map((pair) => pair.join("=")),
    { maxLength: 3 },
  ),
  body: fc.uint8Array({ maxLength: 12 }),
  hasBody: fc.boolean(),
}).map(({ body, hasBody, ...request }) => {
  const isSent = hasBody && request.method !== "GET" && body.length > 0;
  return { ...request, body: isSent ? encodeBase64(body) : null, isBase64Encoded: isSent };
});

/** The facts of a request that do not depend on the gateway. */
function factsOf(raw: JsonObject) {
  const event = new FnProxyEvent(raw);
  const url = event.url();
  return {
    method: event.httpMethod(),
    headers: event.httpHeaders(),
    header: event.header("X-ORDER"),
    cookies: event.cookies(),
    address: event.sourceIp().text,
    agent: event.httpUserAgent(),
    parameters: event.queryStringParameters(),
    path: decodeURIComponent(url.pathname),
    query: [...url.searchParams].sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0),
    bytes: event.bytes(),
    claims: event.authorizerClaims(),
    stage: event.stageVariables(),
  };
}

Deno.test("the accessors return the same facts behind every gateway", () => {
  fc.assert(fc.property(request, (request) => {
    const { rest, ...others } = fiveEvents(request);
    const expected = factsOf(rest!);
    assertEquals(expected.path, `/${request.path.join("/")}`);
    assertEquals(expected.parameters, Object.fromEntries(request.query));
    assertEquals(expected.bytes.length > 0, request.body !== null);
    for (const [gateway, raw] of Object.entries(others)) {
      assertEquals(factsOf(raw), expected, gateway);
      for (const [name] of request.query) {
        const values = request.query.filter(([key]) => key === name).map(([, value]) => value);
        assertEquals(new FnProxyEvent(raw).queryValues(name), values);
      }
    }
  }));
});

/** The request that Hono makes of an event. */
async function honoRequest(raw: JsonObject): Promise<Request> {
  let request: Request | undefined;
  const fetch = (given: Request) => {
    request = given;
    return new Response();
  };
  await handle({ fetch } as never)(raw as never);
  assert(request, "Hono refused the event");
  return request;
}

async function describe(request: Request) {
  const headers = Object.fromEntries(request.headers);
  delete headers["content-length"]; // Hono adds it
  const { url, method } = request;
  return { url: decodeURIComponent(url), method, headers, body: await request.bytes() };
}

Deno.test("toRequest() makes the request that hono/aws-lambda makes", async () => {
  // Hono does not encode the decoded path of an HTTP API, so the path has no percent sign here.
  const plain = request.filter(({ path }) => !/[%?#]/.test(path.join("")));
  await fc.assert(fc.asyncProperty(plain, async (request) => {
    for (const [gateway, raw] of Object.entries(fiveEvents(request))) {
      const own = new FnProxyEvent(raw).toRequest();
      assertEquals(await describe(own), await describe(await honoRequest(raw)), gateway);
    }
  }));
});

Deno.test("toRequest() differs from hono/aws-lambda if Hono is wrong", async () => {
  const request: ClientRequest = {
    method: "GET",
    host: "api.example.com",
    path: ["50%", "a#b"],
    query: [["a", "1"]],
    headers: {},
    cookies: [],
    body: null,
    isBase64Encoded: false,
  };
  const { http, alb, lattice } = fiveEvents(request) as Record<string, Record<string, unknown>>;
  const urls = async (raw: unknown) => [
    new FnProxyEvent(raw).toRequest().url,
    (await honoRequest(raw as JsonObject)).url,
  ];
  // Hono takes a decoded "#" for a fragment.
  assertEquals(await urls(http), [
    "https://api.example.com/50%25/a%23b?a=1",
    "https://api.example.com/50%/a#b?a=1",
  ]);
  // Hono ignores the map of parameters of VPC Lattice.
  const map = { ...lattice, path: "/x", queryStringParameters: { a: ["1"] } };
  assertEquals(await urls(map), ["https://api.example.com/x?a=1", "https://api.example.com/x"]);
  // Hono ignores the scheme, and joins the fields of one name with "; ".
  const plain = {
    ...alb,
    path: "/x",
    multiValueHeaders: {
      host: ["api.example.com"],
      "x-forwarded-proto": ["http"],
      accept: ["a/b", "c/d"],
    },
  };
  assertEquals(await urls(plain), [
    "http://api.example.com/x?a=1",
    "https://api.example.com/x?a=1",
  ]);
  assertEquals(new FnProxyEvent(plain).toRequest().headers.get("accept"), "a/b, c/d");
  assertEquals((await honoRequest(plain)).headers.get("accept"), "a/b; c/d");
});
