/**
 * A program with a server, which the tests run on each runtime. It prints its address.
 *
 * @module
 */
import { proxyHandler, reply, routes } from "../../gateway/mod.ts";
import { logger } from "../../logger/mod.ts";
import { listen } from "../mod.ts";

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

let stopped = 0;

/** Code outside of any request. */
let isAsked = false;
setInterval(() => {
  if (isAsked) logger.info("outside");
  isAsked = false;
}, 1);

const handler = proxyHandler(
  routes({
    "GET /facts": (event, context) => {
      logger.info("facts");
      return {
        path: event.queryPath(),
        host: event.header("host"),
        domain: event.queryDomainName(),
        ip: String(event.sourceIp()),
        id: event.requestId(),
        contextId: context.awsRequestId,
        headers: event.httpHeaders(),
      };
    },
    "ANY /raw/{path+}": (event) => ({
      path: event.queryPath(),
      query: event.queryStringParameters(),
    }),
    "POST /echo": (event) => reply(200, event.bytes(), { type: "application/octet-stream" }),
    "POST /unread": () => "unread",
    "GET /outside": async () => {
      isAsked = true;
      while (isAsked) await pause(1);
      return "asked";
    },
    "GET /slow": async () => {
      await pause(300);
      return "slow";
    },
    "GET /lines": () =>
      (async function* () {
        for (let line = 0; line < 3; line++) {
          yield `${line}\n`;
          await pause(20);
        }
      })(),
    "GET /broken": () =>
      (async function* () {
        yield "first";
        await pause(20);
        throw new Error("Broken on the way");
      })(),
    "GET /endless": () =>
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(65_536));
        },
        cancel() {
          stopped++;
        },
      }),
    "GET /waiting": () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(1));
        },
        cancel() {
          stopped++;
        },
      }),
    "GET /stopped": () => ({ stopped }),
    "GET /memory": () => {
      (globalThis as { gc?(): void }).gc?.();
      const { process } = globalThis as { process?: { memoryUsage(): { rss: number } } };
      return { rss: process!.memoryUsage().rss };
    },
    "GET /fields": () =>
      reply(200, "fields", { headers: { "X-Name": "Zoë" }, cookies: ["a=1", "b=2"] }),
    "GET /none": () => undefined,
    "GET /reject": () => {
      Promise.reject(new Error("Nobody handles this"));
      return "rejected";
    },
    "GET /throw": () => {
      setTimeout(() => {
        throw new Error("Nobody catches this");
      });
      return "thrown";
    },
  }),
  { indent: 0 },
);

const { GRACE } = (globalThis as { process?: { env: Record<string, string> } }).process?.env ?? {};
const server = await listen(handler, {
  maxBody: 1_000,
  ...GRACE && { grace: Number(GRACE) },
  onShutdown: () => console.log("SHUTDOWN"),
});
console.log(`ADDRESS ${server.hostname} ${server.port}`);
