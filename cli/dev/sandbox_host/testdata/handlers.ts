/** Handlers of several kinds. The tests run them on each runtime, and compare the results. */
import {
  compress,
  fetchHandler,
  type FnProxyEvent,
  HttpNotFoundError,
  problemDetails,
  proxyHandler,
  reply,
  streamHandler,
} from "@mate/core/gateway";
import { idempotent, memoryStore } from "@mate/core/idempotency";
import { logger, withRequestId } from "@mate/core/logger";
import { queueHandler } from "@mate/core/queue";
import { tableHandler } from "@mate/core/table";
import { Hono } from "hono";

export const proxy = proxyHandler(async (event) => {
  const { id } = event.pathParameters();
  if (id === "lost") throw new HttpNotFoundError("There is no such order");
  if (id === "broken") throw new RangeError("no soup");
  if (id === "large") return { text: "soup ".repeat(1_000) };
  await new Promise((resolve) => setTimeout(resolve, 1));
  return reply(
    201,
    { id, ...event.httpMethod() === "POST" ? { sent: event.queryPayload() } : {} },
    {
      cookies: ["a=1", "b=2"],
    },
  );
}, { use: [problemDetails(), compress()] });

export const stream = streamHandler((event: FnProxyEvent) => {
  if (event.queryStringParameters().broken) throw new HttpNotFoundError("There is no soup");
  return reply(200, soups(), { type: "text/event-stream" });
});

async function* soups() {
  for (const soup of ["leek", "pea", "ü"]) {
    yield `data: ${soup}\n\n`;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

export const endless = streamHandler(() => reply(200, waiting(), { type: "text/plain" }));

async function* waiting() {
  yield "leek";
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

export const queue = queueHandler((message) => {
  const { soup } = message.payload() as { soup: string };
  if (soup === "cold") throw new Error("The soup is cold");
});

export const table = tableHandler((change) => {
  if (change.keys().id === "cold") throw new Error("The soup is cold");
});

const app = new Hono()
  .get("/soups/:name", (c) => c.json({ name: c.req.param("name") }, 200, { "X-Soup": "hot" }))
  .post("/soups", async (c) => c.text((await c.req.formData()).get("name") as string, 201))
  .get("/bytes", (c) => c.body(new Uint8Array([0, 255]), 200, { "Content-Type": "image/png" }));

export const web = fetchHandler(app.fetch);

let payments = 0;

export const pay = proxyHandler(idempotent(
  (_event: FnProxyEvent) => reply(201, { payment: ++payments }),
  { store: memoryStore(), key: (event) => event.header("Idempotency-Key")! },
));

export const log = (text: string, context: { awsRequestId: string }): Promise<string> =>
  withRequestId(context.awsRequestId, async () => {
    logger.info("Soup", { text, count: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1));
    logger.child({ order: 7 }).error(
      "No soup",
      new RangeError("bad", { cause: new Error("cold") }),
    );
    logger.debug("below the level");
    logger.metric("soups", 3, { namespace: "kitchen", unit: "Count" });
    console.warn("from the console");
    return text;
  });
