import { assert, assertEquals } from "@std/assert";
import { Hono } from "hono";
import { handle, streamHandle } from "hono/aws-lambda";
import { getCookie, setCookie } from "hono/cookie";
import { basicAuth } from "hono/basic-auth";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { streamSSE, streamText } from "hono/streaming";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { Writable } from "node:stream";
import type { JsonObject } from "../function/mod.ts";
import { createContext, type Gateway, proxyEvent, proxyResponse } from "../testing/mod.ts";
import { fetchHandler } from "./fetch_handler.ts";
import { compress } from "./middleware/compress.ts";
import { streamHandler } from "./stream_handler.ts";

/** An application with what the tests of Hono's adapter ask it for. */
const app = new Hono();
app
  .get("/", (c) => c.text("Hello"))
  .get(
    "/image",
    (c) => c.body(new Uint8Array([0x89, 0x50, 0xff, 0]), 200, { "Content-Type": "image/png" }),
  )
  .get("/svg", (c) => c.body("<svg/>", 200, { "Content-Type": "image/svg+xml" }))
  .get("/word", (c) => c.body("PK\u0003", 200, { "Content-Type": "application/msword" }))
  .get(
    "/coded",
    (c) => c.body("not really", 200, { "Content-Encoding": "br", "Content-Type": "text/css" }),
  )
  .get("/query", (c) => c.json([c.req.query(), c.req.queries()]))
  .get("/none", (c) => c.body(null, 204))
  .get("/moved", (c) => c.redirect("/"))
  .get("/broken", () => {
    throw new Error("secret");
  })
  .post("/form", async (c) => c.json(await c.req.parseBody({ all: true })))
  .post("/size", async (c) => c.text(`${(await c.req.arrayBuffer()).byteLength} bytes`))
  .post("/limited", bodyLimit({ maxSize: 1_024 }), async (c) => c.text(await c.req.text()))
  .get("/cookie", (c) => c.json([getCookie(c), c.req.header("x-list")]))
  .post("/cookie", (c) => {
    setCookie(c, "id", "1", { expires: new Date(0) });
    setCookie(c, "secret", "2");
    return c.text("Set");
  })
  .get("/lines", (c) =>
    streamText(c, async (stream) => {
      for (const line of ["0", "1", "2"]) await stream.writeln(line);
    }))
  .get("/events", (c) =>
    streamSSE(c, async (stream) => {
      await stream.writeSSE({ data: "Message\nIt is 0", event: "time", id: "0" });
    }))
  .get("/auth/abc", basicAuth({ username: "ada", password: "x" }), (c) => c.text("Hello Ada"));

app.onError((error, c) =>
  error instanceof HTTPException ? error.getResponse() : c.text("Broken", 500)
);

const form = new URLSearchParams([["a", "1 2"], ["a", "é&"], ["b", ""]]).toString();

/** Requests, each with a fact that a test of Hono's adapter holds. */
const REQUESTS: Record<string, Parameters<typeof proxyEvent>[0]> = {
  "text": { url: "/" },
  "binary type": { url: "/image" },
  "text of an XML type": { url: "/svg" },
  "text of a binary type": { url: "/word" },
  "a coding of the application": { url: "/coded" },
  "no such route": { url: "/nothing" },
  "a query": { url: "/query?key1=value1&key2=value2&key2=b%20c&e=a%3Db%3Dc&x=%7BbookId%7D" },
  "no content": { url: "/none" },
  "a redirection": { url: "/moved" },
  "an error of the application": { url: "/broken" },
  "a form": {
    method: "POST",
    url: "/form",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: form,
  },
  "bytes": { method: "POST", url: "/size", body: new Uint8Array([0xc0, 0xff, 0xee]) },
  "a length that is too small": {
    method: "POST",
    url: "/limited",
    headers: { "content-type": "text/plain", "content-length": "1" },
    body: "A".repeat(10_000),
  },
  "cookies": { url: "/cookie", headers: { cookie: "id=1; secret=2", "x-list": "a, b" } },
  "several Set-Cookie": { method: "POST", url: "/cookie" },
  "no credentials": { url: "/auth/abc" },
  "credentials": { url: "/auth/abc", headers: { authorization: `Basic ${btoa("ada:x")}` } },
};

const STREAMED: typeof REQUESTS = {
  "a stream of text": { url: "/lines" },
  "events": { url: "/events" },
};

const GATEWAYS: Record<string, { gateway: Gateway; multiValueHeaders?: boolean }> = {
  rest: { gateway: "rest" },
  http: { gateway: "http" },
  url: { gateway: "url" },
  alb: { gateway: "alb" },
  "alb with lists": { gateway: "alb", multiValueHeaders: true },
  lattice: { gateway: "lattice" },
};

/** The differences, each with the item of `docs/migration.md` that explains it. */
const DIFFERENCES: Record<string, string> = {
  "alb: several Set-Cookie": "If the gateway takes only one `Set-Cookie`",
  "lattice: several Set-Cookie": "If the gateway takes only one `Set-Cookie`",
  "lattice: a query": "The application gets the query of VPC Lattice",
};

/** What a gateway sends to the client for the result of a handler, or why it answers 502. */
async function sentBy(result: unknown, options: (typeof GATEWAYS)[string]): Promise<unknown> {
  try {
    const response = proxyResponse(result as JsonObject, options);
    const body = [...await response.bytes()];
    return { status: response.status, headers: [...response.headers], body };
  } catch (error) {
    return String(error);
  }
}

Deno.test("fetchHandler() answers like hono/aws-lambda, except as docs/migration.md says", async () => {
  const [ours, theirs] = [fetchHandler(app), handle(app)];
  const differences: string[] = [];
  for (const [kind, options] of Object.entries(GATEWAYS)) {
    for (const [title, request] of Object.entries(REQUESTS)) {
      const event = await proxyEvent(request, options);
      const context = createContext();
      const answer = await sentBy(await ours(structuredClone(event), context), options);
      const other = await sentBy(await theirs(event as never, context as never), options);
      if (JSON.stringify(answer) === JSON.stringify(other)) continue;
      differences.push(`${kind}: ${title}`);
    }
  }
  assertEquals(differences.toSorted(), Object.keys(DIFFERENCES).toSorted());
  const page = await Deno.readTextFile(new URL("../docs/migration.md", import.meta.url));
  for (const item of Object.values(DIFFERENCES)) assert(page.includes(`\n- ${item}`), item);
});

/** Calls a streaming handler as the managed Node.js runtime does. Returns the prelude and the content. */
async function streamedBy(make: () => unknown, event: unknown): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let prelude: { statusCode?: number; headers?: Record<string, string>; cookies?: string[] } = {};
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  const awslambda = {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from(stream: unknown, metadata: typeof prelude) {
        prelude = metadata;
        return stream;
      },
    },
  };
  Object.assign(globalThis, { awslambda });
  try {
    const handler = make() as (event: unknown, stream: Writable, context: unknown) => Promise<void>;
    await handler(event, stream, createContext());
    if (!stream.writableFinished) await once(stream, "finish");
  } finally {
    delete (globalThis as { awslambda?: unknown }).awslambda;
  }
  const headers = new Headers(prelude.headers);
  headers.delete("set-cookie");
  const { statusCode, cookies = [] } = prelude;
  return { statusCode, headers: [...headers], cookies, body: [...Buffer.concat(chunks)] };
}

Deno.test("streamHandler() streams like hono/aws-lambda if it does not compress", async () => {
  const use = [compress({ codings: [] })];
  for (const [title, request] of Object.entries({ ...REQUESTS, ...STREAMED })) {
    const event = await proxyEvent(request, { gateway: "url" });
    const ours = await streamedBy(() => streamHandler(app, { use }), structuredClone(event));
    assertEquals(ours, await streamedBy(() => streamHandle(app), event), title);
  }
});
