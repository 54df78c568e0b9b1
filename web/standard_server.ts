import type { FetchFunction } from "./to_fetch.ts";

/** Where a server listens. */
export interface Address {
  readonly hostname: string;
  readonly port: number;
}

/** A server of one of the runtimes. */
export interface RuntimeServer extends Address {
  /** Takes no more requests; resolves when all have ended. */
  stop(): Promise<unknown>;
  /** Closes all connections, if the runtime can. */
  kill(): void;
}

/** The part of `Deno` that is used. The npm package has no types of Deno. */
export interface DenoLike {
  serve(
    options: Address & { onListen(): void },
    fetch: FetchFunction,
  ): { readonly addr: Address; shutdown(): Promise<void> };
}

/** Starts a server of `Deno.serve()`, which closes the connections of requests under way only when the process ends. */
export function serveDeno(deno: DenoLike, address: Address, fetch: FetchFunction): RuntimeServer {
  // Without the listener, Deno would print the address.
  const server = deno.serve({ ...address, onListen: () => {} }, fetch);
  return { ...server.addr, stop: () => server.shutdown(), kill: () => {} };
}

/** The part of a server of `Bun.serve()` that is used. */
interface BunServer extends Address {
  timeout(request: Request, seconds: number): void;
  stop(closeConnections?: boolean): Promise<void>;
}

/** The part of `Bun` that is used. */
export interface BunLike {
  serve(
    options: Address & {
      maxRequestBodySize: number;
      fetch(request: Request, server: BunServer): Promise<Response>;
    },
  ): BunServer;
}

/** Starts a server of `Bun.serve()`. */
export function serveBun(bun: BunLike, address: Address, fetch: FetchFunction): RuntimeServer {
  const server = bun.serve({
    ...address,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER, // a body that is too long is answered by the route
    fetch(request, server) {
      server.timeout(request, 0); // otherwise a response that pauses for ten seconds is broken off
      return fetch(request, server);
    },
  });
  const { hostname, port } = server;
  return { hostname, port, stop: () => server.stop(), kill: () => void server.stop(true) };
}
