import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Hono } from "hono";
import { handle } from "hono/aws-lambda";
import { captureLog } from "../testing/mod.ts";
import { decode, eventsOf, factsOf } from "./testdata/events.ts";
import { proxyHandler, reply } from "./mod.ts";

const BYTES = new Uint8Array([0, 255, 128, 10]);

/** Any header value that a gateway carries. */
const value = fc.stringMatching(/^[!-~]([ -~]{0,8}[!-~])?$/);

Deno.test("the forms of all gateways decode to the same Response, which is that of the route", async () => {
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
        const handler = proxyHandler(make, { compression: false });
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
  const responses: [name: string, make: () => Response][] = [
    [
      "text",
      () => new Response("hü", { headers: { "Content-Type": "text/plain; charset=utf-8" } }),
    ],
    ["JSON", () => Response.json({ a: [1] }, { status: 201, headers: { "X-A": "1" } })],
    ["an image", () => new Response(BYTES, { headers: { "Content-Type": "image/png" } })],
    ["cookies", () => {
      const headers = new Headers({ "Content-Type": "text/plain" });
      for (const cookie of ["a=1; Path=/", "b=2; Expires=Wed, 21 Oct 2015 07:28:00 GMT"]) {
        headers.append("Set-Cookie", cookie);
      }
      return new Response("x", { headers });
    }],
    [
      "an error",
      () => new Response("lost", { status: 404, headers: { "Content-Type": "text/html" } }),
    ],
  ];
  for (const [name, make] of responses) {
    for (const [kind, { format, event }] of Object.entries(eventsOf("GET"))) {
      const app = new Hono().all("*", () => make());
      // Hono sends multiValueHeaders, which VPC Lattice does not take.
      const honoFormat = format === "lattice" ? "rest" : format;
      const hono = await handle(app)(event as never, {} as never);
      const { result: ours } = await captureLog(() =>
        proxyHandler(make, { compression: false })(event)
      );
      const [expected, actual] = [
        await factsOf(decode(honoFormat, hono)),
        await factsOf(decode(format, ours)),
      ];
      actual.fields = actual.fields.filter(([field]) => field !== "vary");
      // If the gateway takes one value of a field, Hono sends the first cookie, or all of them in one value.
      if (kind === "alb single" || kind === "lattice") expected.cookies = actual.cookies;
      assertEquals(actual, expected, `${name}, ${kind}`);
    }
  }
});

Deno.test("proxyHandler() sends the last cookie, and warns, if the gateway takes one", async () => {
  for (const [name, { event }] of Object.entries(eventsOf("GET"))) {
    const handler = proxyHandler(() => reply(200, 1, { cookies: ["a=1", "b=2"] }));
    const { result, records: log } = await captureLog(() => handler(event));
    const isSingle = name === "alb single" || name === "lattice";
    assertEquals(log.map(({ level }) => level), isSingle ? ["WARN"] : [], name);
    if (isSingle) assertEquals(result.headers["Set-Cookie"], "b=2", name);
    const single = await captureLog(() =>
      proxyHandler(() => reply(200, 1, { cookies: ["a=1"] }))(event)
    );
    assertEquals(single.records, [], name);
  }
});
