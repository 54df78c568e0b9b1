import { invalid } from "../function/arguments.ts";
import { loggerState, readEnvironment } from "../logger/state.ts";
import { readHandler, type WebHandler } from "./answer.ts";
import { serveNode } from "./node_server.ts";
import { checkWhole, ENDPOINT, FETCH_OPTIONS, type FetchOptions, readSettings } from "./options.ts";
import { watchProcess } from "./process.ts";
import {
  type Address,
  type BunLike,
  type DenoLike,
  serveBun,
  serveDeno,
} from "./standard_server.ts";
import { toFetch } from "./to_fetch.ts";

/** The options of {@linkcode listen}. */
export interface ListenOptions extends FetchOptions {
  /**
   * The port, from 0 (any free one) to 65535. The default is the environment variable `PORT`, or 3000. A Web Function of AWS
   * Lambda listens where the platform says.
   */
  readonly port?: number | undefined;
  /** The host name or address. The default is the loopback interface; a container gives `0.0.0.0`. */
  readonly hostname?: string | undefined;
  /**
   * The milliseconds that requests under way have at the end, a whole number from 0. The default is 500 in a Web Function of
   * AWS Lambda, and 10,000 elsewhere.
   */
  readonly grace?: number | undefined;
  /** Called after the last request when SIGTERM or an uncaught error ends the process. */
  readonly onShutdown?: (() => void | Promise<void>) | undefined;
}

/** A server that listens. */
export interface WebServer {
  /** The host name or address on which it listens. */
  readonly hostname: string;
  /** The port on which it listens. */
  readonly port: number;
  /**
   * Takes no more requests. Resolves when those under way have ended, or when their time is over. A second call gives the
   * same.
   */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server of a handler: a Web Function of AWS Lambda, a container, or a program on this machine. It uses
 * `node:http`, `Deno.serve()` or `Bun.serve()`.
 *
 * At SIGTERM, requests under way end, `onShutdown` is called, and the process ends with status 0. An uncaught error or an
 * unhandled rejection makes one FATAL record, and ends the process in the same way with status 1. After a `close()` of the
 * program, neither is watched any more.
 *
 * In a Web Function of AWS Lambda, the server listens where `AWS_LAMBDA_HTTP_ENDPOINT` says, records are JSON unless the
 * program has set a format, and idle connections stay open.
 *
 * @param handler The result of `proxyHandler()`, `fetchHandler()` or `streamHandler()`, or `idempotent()` around one.
 * @param options The address, the end, and the options of {@linkcode toFetch}; they are read once.
 * @returns The server, once it listens. The promise rejects if the server cannot listen, and with a `TypeError` that names
 * the option or the environment variable that is wrong.
 *
 * @example A server until its end
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { proxyHandler } from "@mate/core/gateway";
 * import { listen } from "@mate/core/web";
 *
 * const handler = proxyHandler(() => ({ soup: 9.5 }));
 *
 * const server = await listen(handler, { port: 0 });
 * const response = await fetch(`http://${server.hostname}:${server.port}/menu`);
 * assertEquals(await response.json(), { soup: 9.5 });
 * await server.close();
 * ```
 */
export async function listen(
  handler: WebHandler,
  options: ListenOptions = {},
): Promise<WebServer> {
  const settings = readSettings(options, [
    ...FETCH_OPTIONS,
    "port",
    "hostname",
    "grace",
    "onShutdown",
  ]);
  const { endpoint, maxBody, proxies, timeout } = settings;
  const { grace = endpoint ? 500 : 10_000, onShutdown } = options;
  checkWhole("grace", grace);
  if (onShutdown !== undefined && typeof onShutdown !== "function") {
    throw invalid("option onShutdown", "a function");
  }
  const address = readAddress(options);
  const answer = readHandler(handler, settings);
  if (endpoint) loggerState().format ??= "json";
  const { Deno: deno, Bun: bun } = globalThis as { Deno?: DenoLike; Bun?: BunLike };
  const fetch = toFetch(handler, { proxies, maxBody, timeout });
  const { hostname, port, stop, kill } = deno
    ? await serveDeno(deno, address, fetch)
    : bun
    ? serveBun(bun, address, fetch)
    : await serveNode(address, answer, maxBody, endpoint !== undefined);

  let closed: Promise<void> | undefined;
  const end = () => closed ??= endWithin(grace, stop, kill);
  const unwatch = watchProcess(end, onShutdown);
  return {
    hostname,
    port,
    close() {
      unwatch();
      return end();
    },
  };
}

/** Takes no more requests. After the grace, the connections of those under way are closed. */
async function endWithin(
  grace: number,
  stop: () => Promise<unknown>,
  kill: () => void,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      kill();
      resolve();
    }, grace);
  });
  await Promise.race([stop(), over]);
  clearTimeout(timer);
}

/** The most that a port can be. */
const MAX_PORT = 65_535;

/** Where a server listens: where AWS Lambda says, or else where the options or `PORT` say. */
function readAddress({ port, hostname = "127.0.0.1" }: ListenOptions): Address {
  if (port !== undefined) checkWhole("port", port, MAX_PORT);
  if (typeof hostname !== "string" || hostname === "") {
    throw invalid("option hostname", "a host name or an address");
  }
  const endpoint = readEnvironment(ENDPOINT) || undefined;
  if (endpoint !== undefined) {
    const [, v6, name, digits] = /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i.exec(endpoint) ??
      [];
    if (digits !== undefined && +digits <= MAX_PORT) {
      return { hostname: (v6 ?? name)!, port: +digits };
    }
    throw invalid(`variable ${ENDPOINT} ${JSON.stringify(endpoint)}`, "host:port or [IPv6]:port");
  }
  if (port !== undefined) return { hostname, port };
  const given = readEnvironment("PORT") || "3000";
  if (/^\d{1,5}$/.test(given) && +given <= MAX_PORT) return { hostname, port: +given };
  throw invalid(`variable PORT ${JSON.stringify(given)}`, `a whole number from 0 to ${MAX_PORT}`);
}
