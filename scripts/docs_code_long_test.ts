/** Runs the code of the pages that compares with other libraries, and that of README.md. */
import { assertEquals } from "@std/assert";
import { logger } from "@mate/core/logger";
import { call } from "@mate/core/testing";

// The handlers of the pages log. Most keep the console that exists when they are loaded.
logger.level = "OFF";
Object.assign(console, { log() {}, error() {} });
Deno.env.set("POWERTOOLS_LOG_LEVEL", "SILENT");

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const MIDDY = "6.4.5";
const POWERTOOLS = "2.35.0";
/** The versions of the npm packages that the pages import. */
const VERSIONS: Readonly<Record<string, string>> = {
  "@aws-lambda-powertools/event-handler": POWERTOOLS,
  "@aws-lambda-powertools/logger": POWERTOOLS,
  "@middy/core": MIDDY,
  "@middy/http-cors": MIDDY,
  "@middy/http-error-handler": MIDDY,
  "@middy/http-header-normalizer": MIDDY,
  "@middy/http-json-body-parser": MIDDY,
  "@middy/http-response-serializer": MIDDY,
  "@middy/http-router": MIDDY,
  "@middy/util": MIDDY,
  "@fastify/aws-lambda": "6.4.1",
  "express": "5.3.0",
  "fastify": "5.12.8",
  "hono": "4.13.19",
  "lambda-api": "1.5.1",
  "serverless-http": "4.0.0",
};

/** The text below a heading of the second level, up to the next one. */
async function sectionOf(file: string, heading: string): Promise<string> {
  return (await Deno.readTextFile(new URL(`../${file}`, import.meta.url))).split(
    `\n## ${heading}\n`,
  )[1]!.split("\n## ")[0]!;
}

/** Imports the first block with this fence, such as `js ignore`, and returns its handler. */
async function importBlock(section: string, fence: string): Promise<Handler> {
  const code = section.split(`\`\`\`${fence}\n`)[1]!.split("\n```")[0]!
    .replaceAll(
      / from "((?:@[^/"]+\/)?[^/"]+)/g,
      (text, name) => VERSIONS[name] ? ` from "npm:${name}@${VERSIONS[name]}` : text,
    );
  const type = fence.startsWith("ts") ? "typescript" : "javascript";
  return (await import(`data:application/${type},${encodeURIComponent(code)}`)).handler;
}

Deno.test("README.md: the function answers a note, and 404 for a note that there is not", async () => {
  const handler = await importBlock(await sectionOf("README.md", "A function"), "ts");
  for (
    const [id, status, body] of [
      ["milk", 200, { id: "milk", text: "Buy some" }],
      ["none", 404, { Message: 'There is no note "none"' }],
    ] as const
  ) {
    const response = await call(handler, { url: `/?id=${id}` });
    assertEquals([response.status, await response.json()], [status, body]);
  }
});

const SAME = "The same service with other libraries";
const SERVICES = {
  here: [SAME, "ts"],
  Hono: ["From Hono's adapter", "js ignore"],
  Middy: ["From Middy", "js ignore"],
  Powertools: ["From Powertools", "js ignore"],
  "lambda-api": ["From lambda-api", "js ignore"],
} as const;

const origin = { Origin: "https://app.example" };
const post = (body: string) => ({
  method: "POST",
  url: "/orders",
  headers: { ...origin, "Content-Type": "application/json" },
  body,
});

/** The requests. The table has those whose statuses differ. */
const REQUESTS = {
  "`GET /orders/7`": { url: "/orders/7", headers: origin },
  "`GET /orders/8`": { url: "/orders/8", headers: origin },
  "`DELETE /orders/7`": { method: "DELETE", url: "/orders/7", headers: origin },
  "a valid order": post('{"item":"tea","count":2}'),
  "an order without a count": post('{"item":"tea"}'),
  "an order that is not JSON": post("{"),
  "`Accept: text/html` alone": { url: "/orders/7", headers: { ...origin, Accept: "text/html" } },
  "the preflight of an order": {
    method: "OPTIONS",
    url: "/orders",
    headers: { ...origin, "Access-Control-Request-Method": "POST" },
  },
};

Deno.test("docs/migration.md: the service of each library answers as the table says", async () => {
  const [head, , ...rows] = (await sectionOf("docs/migration.md", SAME)).split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  assertEquals(head!.slice(1), Object.keys(SERVICES));
  const handlers = await Promise.all(
    Object.values(SERVICES).map(async ([heading, fence]) =>
      importBlock(await sectionOf("docs/migration.md", heading), fence)
    ),
  );
  for (const gateway of ["rest", "http"] as const) {
    const table = [];
    for (const [name, request] of Object.entries(REQUESTS)) {
      const responses = await Promise.all(
        handlers.map((handler) => call(handler, request, { gateway })),
      );
      const statuses = responses.map(({ status }) => String(status));
      if (new Set(statuses).size > 1) table.push([name, ...statuses]);
      for (const [index, response] of responses.entries()) {
        if (!response.ok) continue;
        const library = head![index + 1];
        assertEquals(response.headers.get("Access-Control-Allow-Origin"), origin.Origin, library);
        if (name !== "a valid order") continue;
        assertEquals(response.headers.get("Location"), "/orders/8", library);
        assertEquals(await response.json(), { item: "tea", count: 2 }, library);
      }
    }
    assertEquals(table, rows, gateway);
  }
});

Deno.test("docs/express.md: both applications read requests and answer text, cookies and bytes", async () => {
  for (const framework of ["Express", "Fastify"]) {
    const handler = await importBlock(await sectionOf("docs/express.md", framework), "ts ignore");
    const send = (path: string, init?: RequestInit) =>
      call(handler, new Request(`https://api.example${path}`, init));
    const product = await send("/products/5?color=red");
    assertEquals(await product.json(), { id: "5", color: "red" }, framework);
    const order = await send("/orders", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"id":5}',
    });
    assertEquals(
      [order.status, order.headers.get("set-cookie"), await order.json()],
      [201, "cart=empty; Path=/", { ordered: { id: 5 } }],
      framework,
    );
    const bytes = await (await send("/pixel")).bytes();
    assertEquals([...bytes], [137, 80, 78, 71], framework);
    assertEquals((await send("/missing")).status, 404, framework);
  }
});
