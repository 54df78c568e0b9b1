import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { captureLog } from "../testing/mod.ts";
import { ask, decode, eventsOf, factsOf } from "./testdata/answers.ts";
import { answer, request } from "./testdata/events.ts";
import { type HttpResponse, proxyHandler, type ProxyHandlerOptions, reply } from "./mod.ts";

const BYTES = new Uint8Array([0, 255, 128, 10]);
const OCTETS = "application/octet-stream";

/** A stream of chunks. */
async function* chunks(...parts: (string | Uint8Array)[]) {
  for (const part of parts) yield await Promise.resolve(part);
}

Deno.test("reply() answers with a status, headers, cookies and a payload", async () => {
  const { result, records: log } = await answer(() =>
    reply(201, { id: 7 }, {
      headers: { Location: "/orders/7", "Set-Cookie": "a=1", "X-A": ["1", "2"] },
      cookies: ["b=2", "c=3; Secure"],
    }), { options: { extraHeaders: { location: "/", "X-B": "3" } } });
  assertEquals({ ...result }, {
    statusCode: 201,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      Location: "/orders/7",
      "X-B": "3",
      Vary: "Accept, Accept-Encoding",
    },
    multiValueHeaders: { "X-A": ["1", "2"], "Set-Cookie": ["a=1", "b=2", "c=3; Secure"] },
    body: '{\n  "id": 7\n}',
    isBase64Encoded: false,
  });
  assertEquals(log, []);
});

Deno.test("reply() sends a payload with a type, bytes and streams as they are", async () => {
  const web = () => new Blob(["a,b\n"]).stream();
  for (
    const [name, route, type, body, isBase64Encoded] of [
      ["text", () => reply(200, "a,b\n", { type: "text/csv" }), "text/csv", "a,b\n", false],
      [
        "binary text",
        () => reply(200, "<svg/>", { type: "image/svg+xml" }),
        "image/svg+xml",
        "<svg/>",
        true,
      ],
      ["typed bytes", () => reply(200, BYTES, { type: "image/png" }), "image/png", BYTES, true],
      ["bytes", () => reply(200, BYTES), OCTETS, BYTES, true],
      ["a buffer", () => reply(200, Buffer.from(BYTES)), OCTETS, BYTES, true],
      ["bytes alone", () => BYTES, OCTETS, BYTES, true],
      ["a stream alone", () => web(), OCTETS, "a,b\n", true],
      ["a typed stream", () => reply(200, web(), { type: "text/csv" }), "text/csv", "a,b\n", false],
      ["chunks", () => chunks("a", BYTES), OCTETS, Buffer.concat([Buffer.from("a"), BYTES]), true],
      [
        "broken text",
        () => reply(200, chunks(BYTES), { type: "text/csv" }),
        "text/csv",
        BYTES,
        true,
      ],
      [
        "JSON",
        () => reply(200, { a: 1 }, { type: "application/hal+json" }),
        "application/hal+json",
        '{\n  "a": 1\n}',
        true,
      ],
      ["nothing", () => reply(200), "application/json; charset=utf-8", "", false],
      [
        "nothing of a type",
        () => reply(200, undefined, { type: "text/csv" }),
        "text/csv",
        "",
        false,
      ],
      ["no content", () => reply(204, BYTES, { type: "image/png" }), "image/png", "", false],
    ] as const
  ) {
    const { result } = await answer(route);
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
    assertEquals(bytes, Buffer.from(body as string), name);
    assertEquals(result.isBase64Encoded, isBase64Encoded, name);
    assertEquals(result.headers["Content-Type"], type, name);
  }
});

Deno.test("reply() refuses an invalid status, header, cookie or type", () => {
  assertThrows(() => reply(99), RangeError, "Invalid status 99");
  assertThrows(() => reply(200, 1, { headers: { "a b": "c" } }), TypeError, "Invalid header name");
  assertThrows(() => reply(200, 1, { cookies: ["a\r\nb"] }), TypeError, "Invalid cookie");
  assertThrows(() => reply(200, 1, { type: "a/b\n" }), TypeError, "Invalid type");
});

Deno.test("proxyHandler() sends a standard Response with its status, headers and exact bytes", async () => {
  const cases: [name: string, make: () => Response, text: string | undefined][] = [
    ["text", () => new Response("hü", { status: 201, headers: { "X-A": "1" } }), "hü"],
    ["JSON", () => Response.json({ a: 1 }), '{"a":1}'],
    ["a byte order mark", () => new Response("\ufeffa"), "\ufeffa"],
    [
      "text that is not UTF-8",
      () => new Response(BYTES, { headers: { "Content-Type": "text/plain" } }),
      undefined,
    ],
    [
      "a stream",
      () => new Response(new Blob(["x"]).stream(), { headers: { "content-type": "text/css" } }),
      "x",
    ],
    ["bytes", () => new Response(BYTES, { headers: { "Content-Type": "image/png" } }), undefined],
    ["no content", () => new Response(null, { status: 204 }), ""],
    ["a redirect", () => Response.redirect("https://example.com/", 303), ""],
  ];
  for (const [name, make, text] of cases) {
    const { result } = await answer(make);
    const expected = await factsOf(make());
    const actual = await factsOf(decode("rest", result));
    actual.fields = actual.fields.filter(([field]) => field !== "vary");
    assertEquals(actual, expected, name);
    assertEquals(result.isBase64Encoded, text === undefined, name);
    if (text !== undefined) assertEquals(result.body, text, name);
  }
});

Deno.test("proxyHandler() gives a Response without a type the type of bytes", async () => {
  const { result } = await answer(() => new Response(BYTES));
  assertEquals(result.headers["Content-Type"], OCTETS);
});

Deno.test("proxyHandler() leaves no Content-Length and no strong ETag on a Response that it compresses", async () => {
  const headers = { "Content-Length": "2000", ETag: '"1"', "Content-Type": "text/plain" };
  const { result } = await answer(() => new Response("x".repeat(2000), { headers }), {
    event: request({ "Accept-Encoding": "gzip" }),
  });
  assertEquals(result.headers, {
    "content-type": "text/plain",
    etag: 'W/"1"',
    "Content-Encoding": "gzip",
    Vary: "Accept, Accept-Encoding",
  });
});

Deno.test("proxyHandler() refuses a result that no response can carry", async () => {
  const used = new Response("x");
  await used.text();
  for (
    const [name, result, problem] of [
      ["a symbol", Symbol("x"), "a symbol"],
      ["a function", () => {}, "a function"],
      ["a bigint", 5n, "BigInt"],
      ["a Map", new Map(), "an instance of Map"],
      ["a Set within", { a: [new Set()] }, '"payload.a[0]"'],
      ["headers", new Headers(), "an instance of Headers"],
      ["an error within", { a: Object.assign(new Error("x"), { code: 5 }) }, '"payload.a"'],
      ["a blob", new Blob([]), "an instance of Blob"],
      ["a generator", (function* () {})(), "an instance of Generator"],
      ["a used Response", used, "Body"],
      ["a failed Response", Response.error(), "Invalid status 0"],
      ["a wrong chunk", chunks(5 as never), "Invalid chunk of a stream"],
      ["an object of another type", reply(200, {}, { type: "text/csv" }), '"text/csv"'],
      ["a Map in a reply", reply(200, new Map()), "an instance of Map"],
    ] as const
  ) {
    const { result: { statusCode, body }, records: log } = await answer(() => result);
    assertEquals(statusCode, 500, name);
    assertEquals(JSON.parse(body), { Message: "The server failed to answer this request" }, name);
    assertEquals(log.length, 1, name);
    assertStringIncludes(String(log[0]!.message), problem);
  }
});

Deno.test("proxyHandler() lets a transformer have a Map, because the result is not JSON", async () => {
  const { result } = await answer(() => new Map([["a", 1]]), {
    event: request({ Accept: "text/plain" }),
    options: {
      customTransformers: { "text/plain": (payload) => [`${[...payload as never]}`, "text/plain"] },
    },
  });
  assertEquals([result.statusCode, result.body], [200, "a,1"]);
});

Deno.test("proxyHandler() describes the status for load balancers and VPC Lattice alone", async () => {
  for (const [name, { format, event }] of Object.entries(eventsOf("GET"))) {
    const described = async (status: number): Promise<string | undefined> =>
      (await proxyHandler(() => reply(status, 1))(event)).statusDescription;
    const isDescribed = format === "alb" || format === "lattice";
    assertEquals(await described(404), isDescribed ? "404 Not Found" : undefined, name);
    assertEquals(await described(299), isDescribed ? "299" : undefined, name);
  }
});

Deno.test("proxyHandler() answers with the types of its option in place of JSON", async () => {
  const ask = async (Accept: string, route: () => unknown, types: string[]) => {
    const options: ProxyHandlerOptions = { types };
    const { result } = await captureLog(() =>
      proxyHandler(route as never, options)({ headers: { Accept } })
    );
    return [result.statusCode, result.headers["Content-Type"]];
  };
  const png = () => reply(200, BYTES, { type: "image/png" });
  const fail = () => {
    throw new TypeError("x");
  };
  assertEquals(await ask("image/*", png, ["image/png"]), [200, "image/png"]);
  assertEquals(await ask("application/json", png, ["image/png"]), [
    406,
    "application/json; charset=utf-8",
  ]);
  assertEquals(await ask("image/png", fail, ["image/png"]), [
    500,
    "application/json; charset=utf-8",
  ]);
  assertEquals(await ask("image/png", () => ({}), ["image/png"]), [
    500,
    "application/json; charset=utf-8",
  ]);
  const both = ["image/png", "application/json"];
  assertEquals(await ask("*/*", () => ({}), both), [200, "application/json; charset=utf-8"]);
  assertEquals(await ask("image/png", () => ({}), both), [406, "application/json; charset=utf-8"]);
});

Deno.test("proxyHandler() never answers 200 with less than a failing stream would have sent", async () => {
  const { result, records: log } = await answer(() =>
    (async function* () {
      yield await Promise.resolve("half");
      throw new Error("the disk is gone");
    })()
  );
  assertEquals((result as HttpResponse).statusCode, 500);
  assert(log.some(({ message }) => String(message).includes("the disk is gone")));
});

Deno.test("proxyHandler() sends an empty stream as text, and an empty image of a transformer as base64", async () => {
  const customTransformers = { "image/png": () => ["", "image/png"] as const };
  const stream = () => reply(200, chunks(), { type: "image/png" });
  for (
    const [name, route, isBase64Encoded] of [
      ["stream", stream, false],
      ["transformer", () => ({ a: 1 }), true],
    ] as const
  ) {
    const headers = { Accept: "image/png" };
    const { result } = await ask(route, { customTransformers }, { headers });
    assertEquals([result.body, result.isBase64Encoded], ["", isBase64Encoded], name);
  }
});
