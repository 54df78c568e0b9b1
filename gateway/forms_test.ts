import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { captureLog } from "../testing/mod.ts";
import { decode, eventsOf, factsOf } from "./testdata/events.ts";
import { compress, proxyHandler, reply } from "./mod.ts";

const BYTES = new Uint8Array([0, 255, 128, 10]);

/** Any header value that a gateway carries. */
const value = fc.stringMatching(/^[!-~]([ -~]{0,8}[!-~])?$/);

Deno.test("the forms of all gateways decode to the Response of the route", async () => {
  await fc.assert(fc.asyncProperty(
    fc.constantFrom(200, 201, 204, 302, 404, 503),
    fc.oneof(fc.uint8Array(), fc.string(), fc.constant("ü")),
    fc.constantFrom("text/plain", "image/png", "application/json"),
    fc.dictionary(fc.stringMatching(/^x-[a-z]{1,5}$/), value),
    fc.array(fc.stringMatching(/^[a-z]{1,3}=[a-z]{0,5}$/), { maxLength: 3 }),
    async (status, body, type, headers, cookies) => {
      const make = () => {
        const fields = new Headers({ "content-type": type, ...headers });
        for (const cookie of cookies) fields.append("set-cookie", cookie);
        return new Response(status === 204 ? null : body, { status, headers: fields });
      };
      const expected = await factsOf(make());
      for (const [name, { format, event }] of Object.entries(eventsOf("GET"))) {
        const handler = proxyHandler(make, { use: [compress({ codings: [] })] });
        const { result: raw } = await captureLog(() => handler(event));
        const actual = await factsOf(decode(format, raw));
        const isSingle = name === "alb single" || name === "lattice";
        assertEquals(actual.cookies, isSingle ? cookies.slice(-1) : cookies, name);
        assertEquals(actual.fields.filter(([field]) => field !== "vary"), expected.fields, name);
        assertEquals([actual.status, actual.body], [expected.status, expected.body], name);
      }
    },
  ));
});

Deno.test("proxyHandler() sends each gateway the Response that Hono's adapter sends", async () => {
  const respond = (body: BodyInit, type: string, status = 200, ...cookies: string[]) => {
    const fields = cookies.map((cookie) => ["set-cookie", cookie] as [string, string]);
    return new Response(body, { status, headers: [["content-type", type], ...fields] });
  };
  const cookies = ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2015 07:28:00 GMT"];
  const responses: [name: string, make: () => Response][] = [
    ["text", () => respond("hü", "text/plain; charset=utf-8")],
    ["JSON", () => Response.json({ a: [1] }, { status: 201, headers: { "X-A": "1" } })],
    ["an image", () => respond(BYTES, "image/png")],
    ["cookies", () => respond("x", "text/plain", 200, ...cookies)],
    ["an error", () => respond("lost", "text/html", 404)],
  ];
  for (const [name, make] of responses) {
    for (const [kind, { format, event }] of Object.entries(eventsOf("GET"))) {
      const app = new Hono().all("*", () => make());
      // Hono sends multiValueHeaders, which VPC Lattice does not take.
      const honoFormat = format === "lattice" ? "rest" : format;
      const hono = await handle(app)(event as never, {} as never);
      const handler = proxyHandler(make, { use: [compress({ codings: [] })] });
      const { result: ours } = await captureLog(() => handler(event));
      const expected = await factsOf(decode(honoFormat, hono));
      const actual = await factsOf(decode(format, ours));
      actual.fields = actual.fields.filter(([field]) => field !== "vary");
      // If the gateway takes one value of a field, Hono sends the first cookie, or all of them in one value.
      if (kind === "alb single" || kind === "lattice") expected.cookies = actual.cookies;
      assertEquals(actual, expected, `${name}, ${kind}`);
    }
  }
});

Deno.test("proxyHandler() sends the last cookie, and warns, if the gateway takes one", async () => {
  for (const [name, { event }] of Object.entries(eventsOf("GET"))) {
    const send = (...cookies: string[]) =>
      captureLog(() => proxyHandler(() => reply(200, 1, { cookies }))(event));
    const { result, records: log } = await send("a=1", "b=2");
    const isSingle = name === "alb single" || name === "lattice";
    assertEquals(log.map(({ level }) => level), isSingle ? ["WARN"] : [], name);
    if (isSingle) assertEquals(result.headers["Set-Cookie"], "b=2", name);
    assertEquals(log[0]?.["data"], isSingle ? { sent: 1, dropped: 1 } : undefined, name);
    assertEquals((await send("a=1")).records, [], name);
  }
});
