/** The client in Chromium, against described routes behind HTTP. */
import { assertEquals } from "@std/assert";
import { build, stop } from "esbuild";
import * as z from "zod";
import { type ApiDescription, implement, proxyHandler, reply, routes } from "../gateway/mod.ts";
import { browserTest } from "../testdata/browser.ts";
import { call } from "../testing/mod.ts";

const api = {
  "PUT /orders/{id}/{path+}": {
    query: z.object({ page: z.coerce.number<number>() }),
    headers: z.object({ "x-key": z.string() }),
    body: z.object({ item: z.string() }),
    responses: { 201: z.object({ got: z.array(z.unknown()) }) },
  },
  "DELETE /orders/{id}": { responses: { 204: "The order is cancelled" } },
} as const satisfies ApiDescription;

const handler = proxyHandler(
  routes(implement(api, {
    "PUT /orders/{id}/{path+}": (event) => {
      const { id, path } = event.pathParameters();
      const { page } = event.queryStringParameters();
      const got = [id, path, page, event.httpHeaders()["x-key"], event.queryPayload().item];
      return reply(201, { got });
    },
    "DELETE /orders/{id}": () => {},
  })),
  { clientErrorLevel: "off" },
);

/** The script of the page. It gets the types of the API, and nothing else of it. */
const SCRIPT = `
  import { createClient } from "./mod.ts";
  const client = createClient("/v1/", { headers: { "X-Key": "all" } });
  const answers = [
    await client("PUT /orders/{id}/{path+}", {
      path: { id: "a/b %é", path: "c d/..e" },
      query: { page: 2, none: undefined },
      headers: { "x-key": "own" },
      body: { item: "tea" },
    }),
    await client("DELETE /orders/{id}", { path: { id: "7" } }),
    await client("PUT /orders/{id}/{path+}", { path: { id: "7", path: "x" }, body: {} }),
  ].map(({ ok, status, body }) => [ok, status, body]);
  const problem = await client("DELETE /orders/{id}", { path: { id: ".." } }).catch(String);
  window.result = [answers, problem];
`;

browserTest("createClient() calls described routes from a page in Chromium", async (browser) => {
  const { outputFiles: [script] } = await build({
    stdin: { contents: SCRIPT, resolveDir: import.meta.dirname! },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  }).finally(stop);
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/v1/")) return call(handler, request, { stage: "v1" });
      const isScript = pathname === "/page.js";
      const headers = { "Content-Type": isScript ? "text/javascript" : "text/html" };
      const page = '<!doctype html><link rel="icon" href="data:,">' +
        '<script type="module" src="page.js"></script>';
      return new Response(isScript ? script!.text : page, { headers });
    },
  );
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.addr.port}/`);
  const result = await (await page.waitForFunction("window.result")).jsonValue();
  const issues = [{
    path: ["page"],
    message: "Invalid input: expected number, received NaN",
  }];
  assertEquals(result, [
    [
      [true, 201, { got: ["a/b %é", "c d/..e", 2, "own", "tea"] }],
      [true, 204, undefined],
      [false, 400, { Message: "Invalid query parameters", Details: { issues } }],
    ],
    'TypeError: Invalid id of DELETE /orders/{id}: ".." makes another path',
  ]);
});
