import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import serverless from "npm:serverless-http@4.0.0";
import { ARCHIVE, MENU, NO_SUCH_DISH } from "../workloads/_menu.ts";
import type { Service } from "./service.ts";

class NotFound extends Error {
  readonly status = 404;
}

/** Where the adapter puts the body of the request. */
type Request = IncomingMessage & { readonly body?: Buffer };

function answer(request: Request): unknown {
  const url = new URL(request.url ?? "/", "https://localhost");
  if (url.pathname === "/orders") return JSON.parse(String(request.body));
  if (url.pathname === "/archive") return ARCHIVE;
  const name = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  if (!Object.hasOwn(MENU, name)) throw new NotFound(NO_SUCH_DISH);
  return { ...MENU[name], day: url.searchParams.get("day") };
}

/** The framework that it adapts: the least that one can be. */
function app(request: Request, response: ServerResponse): void {
  let payload: unknown;
  try {
    payload = answer(request);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    response.statusCode = error.status;
    payload = { Message: error.message };
  }
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  const text = JSON.stringify(payload, null, 2);
  if (!/\bgzip\b/.test(String(request.headers["accept-encoding"]))) {
    response.end(text);
    return;
  }
  response.setHeader("Content-Encoding", "gzip");
  response.setHeader("Vary", "Accept-Encoding");
  response.end(gzipSync(Buffer.from(text)));
}

const handler = serverless(app) as unknown as Service["dish"];

/** The adapter for frameworks that were made for `node:http`. */
export const serverlessHttpService: Service = {
  name: "serverless-http",
  dish: handler,
  order: handler,
  archive: handler,
  missing: handler,
};
