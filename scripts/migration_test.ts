import { assertEquals } from "@std/assert";
import { call, captureLog, createContext, queueEvent } from "@mate/core/testing";
import { importBlock, sectionOf } from "./testdata/markdown.ts";

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

const MIDDY = "6.4.5";
const POWERTOOLS = "2.35.0";
const VERSIONS = {
  "@aws-lambda-powertools/batch": POWERTOOLS,
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
  "hono": "4.13.19",
  "lambda-api": "1.5.1",
};

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

/** The requests of the table. */
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

/** Runs without the records that other libraries write to the console. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { log, error } = console;
  console.log = console.error = () => {};
  try {
    return (await captureLog(run)).result;
  } finally {
    Object.assign(console, { log, error });
  }
}

Deno.env.set("POWERTOOLS_LOG_LEVEL", "SILENT");

Deno.test("docs/migration.md: the service of each library answers as the table says", async () => {
  const [head, , ...rows] = (await sectionOf("docs/migration.md", SAME)).split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  assertEquals(head!.slice(1), Object.keys(SERVICES));
  const handlers = await Promise.all(
    Object.values(SERVICES).map(async ([heading, fence]) =>
      importBlock<Handler>(await sectionOf("docs/migration.md", heading), fence, VERSIONS)
    ),
  );
  for (const gateway of ["rest", "http"] as const) {
    const table = [];
    for (const [name, request] of Object.entries(REQUESTS)) {
      const responses = await quietly(() =>
        Promise.all(handlers.map((handler) => call(handler, request, { gateway })))
      );
      table.push([name, ...responses.map(({ status }) => String(status))]);
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

Deno.test("docs/migration.md: both handlers of a batch report the same messages", async () => {
  const batch = (await sectionOf("docs/migration.md", "From Powertools")).split("A batch of")[1]!;
  const event = queueEvent([
    { messageId: "1", payload: { item: "tea", count: 2 } },
    { messageId: "2", payload: { item: "tea" } },
    { messageId: "3", body: "{" },
  ]);
  for (const fence of ["js ignore", "ts"]) {
    const handler = await importBlock<Handler>(batch, fence, VERSIONS);
    const result = await quietly(() => handler(event, createContext()));
    const batchItemFailures = [{ itemIdentifier: "2" }, { itemIdentifier: "3" }];
    assertEquals(result, { batchItemFailures }, fence);
  }
});
