/**
 * A web server of one contestant: `program.mjs CONTESTANT`. It prints its port. `GET /cpu` answers the microseconds of
 * processor time that the process has taken.
 *
 * @module
 */
import { Hono } from "hono";
import { cors as honoCors } from "hono/cors";
import { serve } from "@hono/node-server";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { cors, proxyHandler, reply, routes } from "../../gateway/mod.ts";
import { listen } from "../../web/mod.ts";

const hostname = "127.0.0.1";

function readCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function serveMate(): Promise<number> {
  const handler = proxyHandler(
    routes({
      "GET /cpu": readCpu,
      "GET /orders/{id}": (event) => ({
        id: event.pathParameters().id,
        page: event.queryStringParameters()["page"],
        agent: event.httpUserAgent(),
      }),
      "POST /orders": (event) => reply(201, { id: 7, ...event.queryPayload() as object }),
    }),
    { use: [cors({ origins: "*" })], indent: 0 },
  );
  return (await listen(handler, { port: 0 })).port;
}

function serveHono(): Promise<number> {
  const app = new Hono();
  app.use(honoCors());
  app.get("/cpu", (c) => c.json(readCpu()));
  app.get("/orders/:id", (c) =>
    c.json({
      id: c.req.param("id"),
      page: c.req.query("page"),
      agent: c.req.header("user-agent"),
    }));
  app.post("/orders", async (c) => c.json({ id: 7, ...await c.req.json() }, 201));
  return new Promise((resolve) =>
    serve({ fetch: app.fetch, port: 0, hostname }, ({ port }) => resolve(port))
  );
}

function servePlain(): Promise<number> {
  const send = (response: ServerResponse, status: number, value: unknown) => {
    const text = JSON.stringify(value);
    response.writeHead(status, {
      "Access-Control-Allow-Origin": "*",
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(text);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    if (pathname === "/cpu") return send(response, 200, readCpu());
    if (request.method === "GET") {
      const id = decodeURIComponent(pathname.slice("/orders/".length));
      const page = searchParams.get("page");
      return send(response, 200, { id, page, agent: request.headers["user-agent"] });
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    send(response, 201, { id: 7, ...JSON.parse(Buffer.concat(chunks).toString()) });
  };
  const server = createServer((request, response) => void answer(request, response));
  return new Promise((resolve) =>
    server.listen(0, hostname, () => resolve((server.address() as AddressInfo).port))
  );
}

const contestants: Record<string, () => Promise<number>> = {
  "@mate/core": serveMate,
  "Hono, @hono/node-server": serveHono,
  "node:http": servePlain,
};
console.log(`PORT ${await contestants[process.argv[2]!]!()}`);
