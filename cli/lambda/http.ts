import { Buffer } from "node:buffer";
import type { IncomingMessage, Server } from "node:http";

export interface Reply {
  readonly status: number;
  /** The headers. A name may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
  /** Why the request is refused, or has failed. The client does not get it. */
  readonly reason?: string | undefined;
}

/** Makes a response with a text as its body. */
export function reply(status: number, headers: Reply["headers"] = [], body = ""): Reply {
  return { status, headers, body: Buffer.from(body) };
}

export function jsonReply(status: number, value: unknown, headers: Reply["headers"] = []): Reply {
  const body = `${JSON.stringify(value, null, 2)}\n`;
  return reply(status, [["Content-Type", "application/json"], ...headers], body);
}

export function errorReply(
  status: number,
  message: string,
  headers: Reply["headers"] = [],
): Reply {
  return jsonReply(status, { message }, headers);
}

/** Adds headers to a response. They replace headers with the same names. */
export function withHeaders(response: Reply, headers: Reply["headers"]): Reply {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const others = response.headers.filter(([name]) => !names.has(name.toLowerCase()));
  return { ...response, headers: [...others, ...headers] };
}

/** The refusal of a request. The client gets the reply. The message is the reason for the log. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(readonly reply: Reply, reason: string) {
    super(reason);
  }
}

/** Makes a refusal whose reply is JSON with the message. */
export function refusal(status: number, message: string, headers: Reply["headers"] = []): Refusal {
  return new Refusal(errorReply(status, message, headers), message);
}

/** Refuses a method that is not in the list, with the status 405. */
export function allow(method: string, ...methods: readonly string[]): void {
  if (methods.includes(method)) return;
  const list = methods.join(", ");
  const message = `The method ${method} is not allowed here: use ${list}`;
  throw refusal(405, message, [["Allow", list]]);
}

/** Reads the body of a request. If the body is over the limit, the result is over the limit too, but may be incomplete. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return new Uint8Array(limit + 1);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Do not destroy the request at the limit, because it still gets an answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return Buffer.concat(chunks);
}

export function startServer(server: Server, port: number, host: string): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  server.once("error", reject);
  server.listen(port, host, () => resolve(server));
  return promise;
}

export function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}
