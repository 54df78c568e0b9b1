import { Buffer } from "node:buffer";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Reply } from "./reply.ts";

/** Answers a request. */
export type Listener = (request: IncomingMessage) => Promise<Reply>;

/** A server on the loopback interface. */
export interface LoopbackServer extends AsyncDisposable {
  /** The port. */
  readonly port: number;
}

/** The port is in use. */
export class PortTakenError extends Error {
  static {
    this.prototype.name = "PortTakenError";
  }
}

/** The codes of errors that say no more than that the client went away. */
const HANG_UPS: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "HPE_INVALID_EOF_STATE",
]);

/** What stands in for a response that cannot be sent, as it is the gateway's answer to a malformed result. */
const BAD_GATEWAY: Reply = {
  status: 502,
  headers: [["Content-Type", "application/json"]],
  body: Buffer.from('{"message": "Internal server error"}'),
};

/** How long a client may go on sending after it was answered, in milliseconds. */
const GRACE = 2_000;

/**
 * Listens on the loopback interface, in both versions of IP where the machine has them, and nowhere else.
 *
 * @param port The port; 0 for one that the system chooses.
 * @param listener What answers requests; it never rejects.
 * @param onError Told of what is no HTTP request, which is answered with 400, or 431 if it is too long; and of a
 * response that could not be sent, unless the client went away: if nothing of it was, 502 is sent.
 * @returns The server.
 * @throws {PortTakenError} If the port is in use; the message names it and the remedy.
 */
export async function listen(
  port: number,
  listener: Listener,
  onError: (error: Error) => void,
): Promise<LoopbackServer> {
  const servers: Server[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    respond(request, response, listener, onError);
  };
  const close = async () => {
    await Promise.all(servers.map(closeServer));
  };
  try {
    servers.push(await bind("127.0.0.1", port, answer, onError));
    const chosen = (servers[0]!.address() as AddressInfo).port;
    const second = await bind("::1", chosen, answer, onError).catch((error) => {
      if (isTaken(error)) throw error;
    }); // a machine without IPv6 has the other
    if (second) servers.push(second);
    return { port: chosen, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    if (!isTaken(error)) throw error;
    if (port === 0) return await listen(port, listener, onError); // free in one version of IP only
    throw new PortTakenError(
      `Cannot listen on port ${port}: another program does; stop it, or choose another port with --port (0 for any)`,
      { cause: error },
    );
  }
}

function isHangUp(error: unknown): boolean {
  return HANG_UPS.has((error as { code?: string }).code ?? "");
}

function isTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === "EADDRINUSE";
}

function bind(
  host: string,
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  onError: (error: Error) => void,
): Promise<Server> {
  const server = createServer(answer);
  server.on("clientError", (cause, socket) => {
    if (isHangUp(cause)) socket.destroy();
    if (!socket.writable) return; // gone, or answered before
    onError(new Error(`Cannot read a request as HTTP/1.1: ${cause.message}`, { cause }));
    const status = (cause as { code?: string }).code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
    const body = `{"message": "${STATUS_CODES[status]}"}`;
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  server.once("error", reject);
  server.listen(port, host, () => resolve(server));
  return promise;
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  listener: Listener,
  onError: (error: Error) => void,
): Promise<void> {
  response.on("error", () => {}); // the client is gone: nobody is left to be told
  request.on("error", () => {});
  const report = (error: unknown) => {
    const { message } = error as Error;
    onError(new Error(`Cannot send a response: ${message}`, { cause: error }));
  };
  try {
    let reply = await listener(request);
    try {
      writeHead(response, reply, request);
    } catch (error) {
      report(error);
      if (!(reply.body instanceof Uint8Array)) await reply.body.cancel();
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      response.statusMessage = ""; // so that the one of its status is sent
      reply = BAD_GATEWAY;
      writeHead(response, reply, request);
    }
    await writeBody(response, reply, request.method === "HEAD");
  } catch (error) {
    if (!isHangUp(error)) report(error);
    response.destroy();
  }
}

function writeHead(response: ServerResponse, reply: Reply, request: IncomingMessage): void {
  const names = Map.groupBy(reply.headers, ([name]) => name);
  for (const [name, pairs] of names) {
    const values = pairs.map(([, value]) => value);
    response.setHeader(name, values.length === 1 ? values[0]! : values);
  }
  const hasBody = reply.status !== 204 && reply.status !== 304;
  if (hasBody && reply.body instanceof Uint8Array) {
    response.setHeader("Content-Length", reply.body.length);
  }
  if (!request.complete) response.setHeader("Connection", "close");
  response.writeHead(reply.status);
  if (request.complete) return;
  // The rest of the request is not read: let the client see the answer, then hang up.
  request.resume();
  response.once("finish", () => {
    const timer = setTimeout(() => request.destroy(), GRACE);
    request.once("close", () => clearTimeout(timer));
  });
}

async function writeBody(
  response: ServerResponse,
  { status, body }: Reply,
  isHead: boolean,
): Promise<void> {
  if (body instanceof Uint8Array) {
    response.end(isHead || status === 204 || status === 304 ? undefined : Buffer.from(body));
    return;
  }
  if (isHead) {
    await body.cancel();
    response.end();
    return;
  }
  response.flushHeaders();
  await pipeline(Readable.fromWeb(body as never), response);
}

/**
 * Reads the body of a request.
 *
 * @param request The request.
 * @param limit How many bytes are of interest.
 * @returns The body; if it is over the limit, a part of it that is.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) return new Uint8Array(limit + 1);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  request.on("data", (chunk: Uint8Array) => {
    if (size > limit) return;
    size += chunk.length;
    chunks.push(chunk);
    if (size > limit) resolve();
  });
  request.once("end", resolve);
  request.once("error", reject);
  request.once("close", () => reject(new Error("The client hung up")));
  await promise;
  return Buffer.concat(chunks);
}
