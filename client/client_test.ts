import { assert, assertEquals, assertRejects } from "@std/assert";
import { createServer } from "node:http";
import * as z from "zod";
import {
  type ApiDescription,
  HttpConflictError,
  implement,
  proxyHandler,
  reply,
  routes,
} from "../gateway/mod.ts";
import { call } from "../testing/mod.ts";
import { type ClientOptions, createClient } from "./mod.ts";

const Order = z.object({
  id: z.string(),
  at: z.iso.datetime().transform((text) => new Date(text)),
  note: z.string().optional(),
});
const api = {
  "GET /orders/{id}": {
    path: z.object({ id: z.string() }),
    query: z.object({ page: z.coerce.number<number>().default(1), tag: z.string().optional() }),
    responses: { 200: z.object({ id: z.string(), page: z.number(), tag: z.string().optional() }) },
  },
  "POST /orders": {
    headers: z.object({ "x-key": z.string() }),
    body: z.object({ item: z.enum(["tea", "milk"]) }),
    responses: { 201: Order, 202: z.object({ later: z.boolean() }), 303: "Elsewhere" },
  },
  "DELETE /orders/{id}": { responses: { 204: "The order is cancelled" } },
  "GET /files/{path+}": { responses: { 200: z.object({ path: z.string() }) } },
  "POST /orders/{id}/cancel": { responses: { 200: z.string() } },
} as const satisfies ApiDescription;

const handler = proxyHandler(
  routes(implement(api, {
    "GET /orders/{id}": (event) => {
      const { page, tag } = event.queryStringParameters();
      return { id: event.pathParameters().id, page, tag };
    },
    "POST /orders": (event) => {
      if (event.queryPayload().item === "milk") throw new HttpConflictError("Sold out");
      return reply(201, { id: event.httpHeaders()["x-key"], at: "1970-01-01T00:00:00.000Z" });
    },
    "DELETE /orders/{id}": () => {},
    "GET /files/{path+}": (event) => ({ path: event.pathParameters().path }),
    "POST /orders/{id}/cancel": () => "cancelled",
  })),
  { clientErrorLevel: "off" },
);

/** A client of the handler behind a gateway. */
const clientOf = (gateway: "rest" | "http" | "url" = "rest", options: ClientOptions = {}) =>
  createClient<typeof api>("https://api.example.com", {
    fetch: (url, init) => call(handler, new Request(url, init), { gateway }),
    ...options,
  });

/** A client that asks nobody, and what it would ask. */
function spy(response: () => Response = () => new Response(), options: ClientOptions = {}) {
  const asked: { url: string; init: RequestInit }[] = [];
  const client = createClient<typeof api>("/v1/", {
    fetch(url, init) {
      asked.push({ url, init });
      return Promise.resolve(response());
    },
    ...options,
  });
  return { client, asked };
}

Deno.test("createClient() calls the routes of a description, with types of what it sends and gets", async () => {
  const client = clientOf();
  const found = await client("GET /orders/{id}", {
    path: { id: "a/b %é" },
    query: { page: 2, tag: undefined },
  });
  assert(found.ok);
  const { id, page, tag }: { id: string; page: number; tag?: string | undefined } = found.body;
  assertEquals([found.status, id, page, tag], [200, "a/b %é", 2, undefined]);
  const made = await client("POST /orders", { headers: { "x-key": "7" }, body: { item: "tea" } });
  assert(made.ok && made.status === 201);
  const at: string = made.body.at; // what JSON makes of a Date
  assertEquals([made.body.id, at], ["7", "1970-01-01T00:00:00.000Z"]);
  const gone = await client("DELETE /orders/{id}", { path: { id: 7 } });
  assert(gone.ok);
  const nothing: undefined = gone.body;
  assertEquals([gone.status, nothing], [204, undefined]);
  const text = await client("POST /orders/{id}/cancel", { path: { id: "7" } });
  assertEquals(text.body, "cancelled");
});

Deno.test("createClient() resolves to every answer, and body is unknown unless it is a success", async () => {
  const client = clientOf();
  const headers = { "x-key": "7" };
  const refused = await client("POST /orders", { headers, body: { item: "milk" } });
  assertEquals([refused.ok, refused.status], [false, 409]);
  assertEquals(refused.body, { Message: "Sold out" });
  for (
    const [status, text, body] of [
      [502, "<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"],
      [404, "", undefined],
      [418, '{"a":1}', { a: 1 }],
    ] as const
  ) {
    const { client } = spy(() => new Response(text, { status, headers: { "x-a": "b" } }));
    const got = await client("GET /orders/{id}", { path: { id: "7" } });
    assertEquals([got.ok, got.status, got.body], [false, status, body]);
    assertEquals(got.response.headers.get("x-a"), "b");
  }
  const page = spy(() => new Response("<h1>Hi</h1>"));
  const asking = page.client("GET /orders/{id}", { path: { id: "7" } });
  await assertRejects(() => asking, SyntaxError);
  const failing = clientOf("rest", { fetch: () => Promise.reject(new Error("offline")) });
  const path = { id: "7" };
  await assertRejects(() => failing("GET /orders/{id}", { path }), Error, "offline");
});

Deno.test("createClient() encodes each value, so that no value names another route", async () => {
  for (const gateway of ["rest", "http", "url"] as const) {
    const client = clientOf(gateway);
    for (const path of ["a", "a/b", "a b/ü", "%2F", "?x#y", "a+b;c=d&e", "..a/b..", "%2e%2e/x"]) {
      const { body } = await client("GET /files/{path+}", { path: { path } });
      assertEquals(body, { path }, gateway);
    }
  }
});

Deno.test("createClient() refuses a value that would make another path, and asks nobody", async () => {
  // fetch takes the escaped dots for dots
  assertEquals(new URL("https://a/orders/%2E%2E").pathname, "/");
  const { client, asked } = spy();
  for (const id of ["", ".", "..", "../x", "a/..", "a/./b", "\ud800", undefined, null]) {
    const request = { path: { id, path: id } } as never;
    for (const key of ["GET /orders/{id}", "GET /files/{path+}"] as const) {
      await assertRejects(() => client(key, request), TypeError, "Invalid ");
    }
  }
  for (const path of ["/evil.example", "//evil.example", "/"]) {
    const request = { path: { path, id: path } } as never;
    for (const key of ["GET /files/{path+}", "GET /{path+}"] as const) {
      await assertRejects(() => client(key as never, request), TypeError, "makes another path");
    }
  }
  await assertRejects(
    async () => {
      // @ts-expect-error The path is required.
      await client("GET /orders/{id}");
    },
    TypeError,
    'Invalid id of GET /orders/{id}: "" makes another path',
  );
  assertEquals(asked, []);
});

Deno.test("createClient() leaves out what is undefined, and the header fields of a call win", async () => {
  const headers = { "X-Key": "all", authorization: "a", "x-none": undefined };
  const { client, asked } = spy(() => new Response("[]"), { headers });
  const { signal } = new AbortController();
  await client("POST /orders", {
    headers: { "x-key": "one", Other: 7, none: undefined },
    query: { "a b": "c&d", none: undefined, n: 0 },
    body: { item: "tea" },
    signal,
  });
  await client("DELETE /orders/{id}", { path: { id: "7" } });
  const fields = ({ headers }: RequestInit) => Object.fromEntries(new Headers(headers));
  const [post, gone] = asked.map(({ url, init }) => [url, init.method, init.body, fields(init)]);
  assertEquals(post, ["/v1/orders?a+b=c%26d&n=0", "POST", '{"item":"tea"}', {
    "x-key": "one",
    other: "7",
    authorization: "a",
    "content-type": "application/json",
  }]);
  assertEquals(gone, ["/v1/orders/7", "DELETE", undefined, { "x-key": "all", authorization: "a" }]);
  assertEquals(asked[0]!.init.signal, signal);
  const typed = spy(() => new Response(), { headers: { "Content-Type": "application/x+json" } });
  await typed.client("POST /orders", { headers: { "x-key": "" }, body: { item: "tea" } });
  assertEquals(fields(typed.asked[0]!.init)["content-type"], "application/x+json");
});

Deno.test("createClient() asks a server by the fetch of the runtime", async () => {
  const server = createServer((request, response) => {
    const { url, method, headers } = request;
    // Deno 2.1 waits 90 seconds before it closes a connection that is kept alive.
    response.writeHead(url === "/v1/orders/7" ? 204 : 201, { connection: "close" });
    response.end(method === "POST" ? JSON.stringify({ later: headers["x-key"] === "7" }) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as { port: number };
    const client = createClient<typeof api>(`http://127.0.0.1:${port}/v1`);
    const made = await client("POST /orders", { headers: { "x-key": "7" }, body: { item: "tea" } });
    assertEquals([made.status, made.body], [201, { later: true }]);
    const gone = await client("DELETE /orders/{id}", { path: { id: "7" } });
    assertEquals([gone.status, gone.body], [204, undefined]);
    const signal = AbortSignal.abort();
    const ended = client("DELETE /orders/{id}", { path: { id: "7" }, signal });
    await assertRejects(() => ended, Error, "abort");
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
});

Deno.test("createClient() makes the compiler refuse what the description does not have", () => {
  const { client } = spy();
  const never = async () => {
    // @ts-expect-error The API lacks the key.
    await client("GET /nothing");
    // @ts-expect-error The variable has another name.
    await client("DELETE /orders/{id}", { path: { nr: "7" } });
    // @ts-expect-error The body is required.
    await client("POST /orders", { headers: { "x-key": "7" } });
    // @ts-expect-error The header field is required.
    await client("POST /orders", { body: { item: "tea" } });
    // @ts-expect-error There is no such item.
    await client("POST /orders", { headers: { "x-key": "7" }, body: { item: "beer" } });
    // @ts-expect-error There is no such parameter.
    await client("GET /orders/{id}", { path: { id: "7" }, query: { pages: 2 } });
    // @ts-expect-error The parameter is a number.
    await client("GET /orders/{id}", { path: { id: "7" }, query: { page: "x" } });
    const got = await client("POST /orders", { headers: { "x-key": "7" }, body: { item: "tea" } });
    // @ts-expect-error An error may have any body.
    got.body.id;
    if (!got.ok) return;
    // @ts-expect-error 202 has another body.
    got.body.id;
    // @ts-expect-error The status is not described as a success.
    got.status satisfies 201;
    // @ts-expect-error JSON makes a text of a Date.
    if (got.status === 201) got.body.at satisfies Date;
    if (got.status === 202) got.body.later satisfies boolean;
  };
  assert(never);
});
