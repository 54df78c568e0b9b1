// deno-lint-ignore-file require-await -- its handlers are async, as those are that have anything to do
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { ARCHIVE, MENU, NO_SUCH_DISH } from "../workloads/_menu.ts";
import type { RestEvent } from "../workloads/_events.ts";
import type { Service } from "./service.ts";

/** Bytes as base64, in the fastest way the runtime has. */
const encode: (bytes: Uint8Array) => string = "toBase64" in Uint8Array.prototype
  ? (bytes) => (bytes as Uint8Array & { toBase64(): string }).toBase64()
  : (bytes) => (bytes as Buffer).toString("base64");

function reply(statusCode: number, payload: unknown) {
  return {
    statusCode,
    headers: { "Content-Type": "application/json; charset=utf-8" },
    body: JSON.stringify(payload, null, 2),
    isBase64Encoded: false,
  };
}

function gzipped(statusCode: number, payload: unknown) {
  return {
    statusCode,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Encoding": "gzip",
      Vary: "Accept, Accept-Encoding",
    },
    body: encode(gzipSync(Buffer.from(JSON.stringify(payload, null, 2)))),
    isBase64Encoded: true,
  };
}

class NotFound extends Error {
  readonly status = 404;
}

function dish(event: RestEvent): object {
  const found = MENU[event.path.slice(6)];
  if (found === undefined) throw new NotFound(NO_SUCH_DISH);
  const { day } = event.queryStringParameters as { day: string };
  return { ...found, day };
}

/** The least that does the work: nothing is checked, and every request is taken for the one that comes. */
export const floor: Service = {
  name: "floor",
  dish: async (event) => reply(200, dish(event)),
  order: async (event) => gzipped(200, JSON.parse(event.body as string)),
  archive: async () => gzipped(200, ARCHIVE),
  missing: async (event) => {
    try {
      return reply(200, dish(event));
    } catch (error) {
      const { status, message } = error as NotFound;
      return reply(status, { Message: message });
    }
  },
};
