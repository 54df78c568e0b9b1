import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import {
  answer,
  ask,
  chunks,
  decode,
  eventsOf,
  factsOf,
  fail,
  JSON_UTF8,
  request,
} from "./testdata/events.ts";
import { proxyHandler, reply } from "./mod.ts";

const BYTES = new Uint8Array([0, 255, 128, 10]);
const OCTETS = "application/octet-stream";
const csv = { type: "text/csv" };
const hal = { type: "application/hal+json" };
const png = { type: "image/png" };
const svg = { type: "image/svg+xml" };

Deno.test("reply() answers with a status, headers, cookies and a payload", async () => {
  const { result, records: log } = await answer(() =>
    reply(201, { id: 7 }, {
      headers: { Location: "/orders/7", "Set-Cookie": "a=1", "X-A": ["1", "2"] },
      cookies: ["b=2", "c=3; Secure"],
    }), { options: { extraHeaders: { location: "/", "X-B": "3" } } });
  assertEquals({ ...result }, {
    statusCode: 201,
    headers: {
      "Content-Type": JSON_UTF8,
      Location: "/orders/7",
      "X-B": "3",
      Vary: "Accept",
    },
    multiValueHeaders: { "X-A": ["1", "2"], "Set-Cookie": ["a=1", "b=2", "c=3; Secure"] },
    body: '{\n  "id": 7\n}',
    isBase64Encoded: false,
  });
  assertEquals(log, []);
});

Deno.test("proxyHandler() sends a payload with a type, bytes and streams as they are", async () => {
  const web = () => new Blob(["a,b\n"]).stream();
  const webXml = (body: BodyInit) => new Response(body, { headers: { "Content-Type": svg.type } });
  for (
    const [name, route, type, body, isBase64Encoded] of [
      ["text", () => reply(200, "a,b\n", csv), csv.type, "a,b\n", false],
      ["text of XML", () => reply(200, "<svg/>", svg), svg.type, "<svg/>", false],
      [
        "a Response of XML",
        () => webXml("<svg/>"),
        svg.type,
        "<svg/>",
        false,
      ],
      [
        "a Response of XML that is not UTF-8",
        () => webXml(BYTES),
        svg.type,
        BYTES,
        true,
      ],
      ["binary text", () => reply(200, "<>", png), png.type, "<>", true],
      ["typed bytes", () => reply(200, BYTES, png), png.type, BYTES, true],
      ["bytes", () => reply(200, BYTES), OCTETS, BYTES, true],
      ["a buffer", () => reply(200, Buffer.from(BYTES)), OCTETS, BYTES, true],
      ["a Response", () => new Response(BYTES), OCTETS, BYTES, true],
      ["bytes alone", () => BYTES, OCTETS, BYTES, true],
      ["a stream alone", () => web(), OCTETS, "a,b\n", true],
      ["a typed stream", () => reply(200, web(), csv), csv.type, "a,b\n", false],
      ["chunks", () => chunks("a", BYTES), OCTETS, Uint8Array.of(97, ...BYTES), true],
      ["broken text", () => reply(200, chunks(BYTES), csv), csv.type, BYTES, true],
      ["JSON", () => reply(200, { a: 1 }, hal), hal.type, '{\n  "a": 1\n}', false],
      ["nothing", () => reply(200), JSON_UTF8, "", false],
      ["nothing of a type", () => reply(200, undefined, csv), csv.type, "", false],
      ["no content", () => reply(204, BYTES, png), png.type, "", false],
    ] as const
  ) {
    const { result } = await answer(route);
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
    assertEquals(bytes, Buffer.from(body as string), name);
    assertEquals(result.isBase64Encoded, isBase64Encoded, name);
    const { headers } = result;
    assertEquals(headers["Content-Type"] ?? headers["content-type"], type, name);
  }
});

Deno.test("a Content-Type among the headers of a reply is the type of its content", async () => {
  const html = "<p>hü</p>";
  for (
    const [name, route, type, body] of [
      [
        "a text",
        () => reply(200, html, { headers: { "Content-Type": "text/html" } }),
        "text/html",
        html,
      ],
      [
        "any case",
        () => reply(200, "a,b", { headers: { "content-TYPE": "text/csv;header=absent" } }),
        "text/csv;header=absent",
        "a,b",
      ],
      [
        "an object",
        () => reply(404, { a: 1 }, { headers: { "Content-Type": "application/problem+json" } }),
        "application/problem+json",
        '{\n  "a": 1\n}',
      ],
      [
        "a text in a list",
        () => reply(200, html, { headers: { "Content-Type": ["text/html"] } }),
        "text/html",
        html,
      ],
      [
        "bytes",
        () => reply(200, BYTES, { headers: { "Content-Type": "image/png" } }),
        "image/png",
        BYTES,
      ],
      [
        "a stream",
        () => reply(200, chunks("a"), { headers: { "Content-Type": "text/css" } }),
        "text/css",
        "a",
      ],
      [
        "the same twice",
        () =>
          reply(200, "x", {
            type: "Text/HTML; charset=utf-8",
            headers: { "Content-Type": "text/html" },
          }),
        "Text/HTML; charset=utf-8",
        "x",
      ],
    ] as const
  ) {
    const { result } = await answer(route, { event: request({ Accept: "*/*" }) });
    const bytes = Buffer.from(result.body, result.isBase64Encoded ? "base64" : "utf8");
    assertEquals(bytes, Buffer.from(body as string), name);
    const types = Object.entries(result.headers).filter(([name]) => /^content-type$/i.test(name));
    assertEquals(types.map(([, value]) => value), [type], name);
  }
  const data = await answer(() => reply(200, {}, { headers: { "Content-Type": "text/csv" } }));
  assertEquals(data.result.statusCode, 500);
  assertStringIncludes(String(data.records[0]!.message), 'payload of "text/csv"');
  const headers = { "Content-Type": "text/html" };
  const problem = 'Invalid type "text/csv": expected the Content-Type of the headers, text/html';
  assertThrows(() => reply(200, "x", { type: "text/csv", headers }), TypeError, problem);
  const wrong = { headers: { "Content-Type": "html" } };
  assertThrows(() => reply(200, "x", wrong), TypeError, 'Invalid type "html": expected a media');
});

Deno.test("reply() refuses an invalid status, header, cookie or type", () => {
  for (const status of [0, 99, 100, 103, 199, 600, 200.5, NaN, "200", undefined]) {
    const problem = "expected a whole number from 200 to 599";
    assertThrows(() => reply(status as number), RangeError, problem, String(status));
  }
  assertThrows(() => reply(200, 1, { headers: { "a b": "c" } }), TypeError, "Invalid header name");
  assertThrows(() => reply(200, 1, { cookies: ["a\r\nb"] }), TypeError, "Invalid cookie");
  const one = { cookies: "a=1" as never };
  assertThrows(() => reply(200, 1, one), TypeError, "Invalid cookies: expected an array");
  assertThrows(() => reply(200, 1, { type: "a/b\n" }), TypeError, "Invalid type");
  for (
    const type of ["", "text", "text/", "/html", "image/*", "*/*", "text html", "a/b/c", "a/b c"]
  ) {
    const problem = `Invalid type ${JSON.stringify(type)}: expected a media type such as text/html`;
    assertThrows(() => reply(200, "x", { type }), TypeError, problem);
  }
  for (const type of ["text/plain;charset=utf-8", "application/vnd.a-b+json ; v=1", "X/Y"]) {
    assertEquals(reply(200, "x", { type }).type, type);
  }
});

Deno.test("proxyHandler() sends a standard Response with its status, headers and exact bytes", async () => {
  const typed = (body: BodyInit, type: string) =>
    new Response(body, { headers: { "content-type": type } });
  const cases: [name: string, make: () => Response, text: string | undefined][] = [
    ["text", () => new Response("hü", { status: 201, headers: { "X-A": "1" } }), "hü"],
    ["JSON", () => Response.json({ a: 1 }), '{"a":1}'],
    ["a byte order mark", () => new Response("\ufeffa"), "\ufeffa"],
    ["text that is not UTF-8", () => typed(BYTES, "text/plain"), undefined],
    ["a stream", () => typed(new Blob(["x"]).stream(), "text/css"), "x"],
    ["bytes", () => typed(BYTES, "image/png"), undefined],
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
  const image = () => reply(200, BYTES, png);
  const types = [png.type];
  const both = [png.type, "application/json"];
  for (
    const [Accept, route, offered, status, type] of [
      ["image/*", image, types, 200, png.type],
      ["application/json", image, types, 406, JSON_UTF8],
      ["image/png", fail(new TypeError("x")), types, 500, JSON_UTF8],
      ["image/png", () => ({}), types, 500, JSON_UTF8],
      ["*/*", () => ({}), both, 200, JSON_UTF8],
      ["image/png", () => ({}), both, 406, JSON_UTF8],
    ] as const
  ) {
    const { result } = await ask(route, { types: offered }, { headers: { Accept } });
    assertEquals([result.statusCode, result.headers["Content-Type"]], [status, type]);
  }
});

Deno.test("proxyHandler() never answers 200 with less than a failing stream would have sent", async () => {
  const { result, records: log } = await answer(() =>
    chunks("half", new Error("the disk is gone"))
  );
  assertEquals(result.statusCode, 500);
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
