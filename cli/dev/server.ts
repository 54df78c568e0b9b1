import { Buffer } from "node:buffer";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { closeServer, errorReply, type Reply, startServer } from "../lambda/http.ts";

export type Listener = (request: IncomingMessage) => Promise<Reply>;

export interface ServerOptions {
  /** The port. If it is 0, the system chooses a free port. */
  readonly port: number;
  /** Takes an error for each request that is not HTTP, and for each response that failed. */
  readonly onError: (error: Error) => void;
  /** The time limit for a client to send a request, in milliseconds. The default is one minute. */
  readonly requestTimeout?: number | undefined;
}

/** The port is in use. */
export class PortTakenError extends Error {
  /** Makes the error. Its message names the port and the remedy. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PortTakenError";
  }
}

/** The codes of errors that occur if the client goes away. */
const HANG_UPS: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "HPE_INVALID_EOF_STATE",
]);

/** The status codes for errors of the HTTP parser. The status for any other error is 400. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** The limit of the header lines of a request. */
const MAX_HEADER_LINES = 1_000;

/**
 * The time without a request after which a connection is closed, in milliseconds. `fetch()` of Deno closes it after 90 s. If the
 * server were first, a client could send a request at that moment, which would fail.
 */
const IDLE = 120_000;

/** The time for a client to read an early answer before the connection is closed, in milliseconds. */
const GRACE = 2_000;

/** Listens on the loopback interface only, with IPv4, and with IPv6 if the machine has it. */
export async function listen(
  listener: Listener,
  options: ServerOptions,
): Promise<AsyncDisposable & { readonly port: number }> {
  const servers: Server[] = [];
  const close = async () => {
    await Promise.all(servers.map(closeServer));
  };
  try {
    servers.push(await bind("127.0.0.1", options.port, listener, options));
    const { port } = servers[0]!.address() as AddressInfo;
    const second = await bind("::1", port, listener, options).catch((error) => {
      if (isTaken(error)) throw error;
    }); // Without IPv6, the first server is enough.
    if (second) servers.push(second);
    return { port, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    if (!isTaken(error)) throw error;
    // The port that the system chose is free for IPv4 only. Try another port.
    if (options.port === 0) return await listen(listener, options);
    throw new PortTakenError(
      `Cannot listen on port ${options.port}: another program uses it; ` +
        "stop that program, or choose another port with --port (0 for any)",
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
  listener: Listener,
  { onError, requestTimeout = 60_000 }: ServerOptions,
): Promise<Server> {
  const server = createServer({
    headersTimeout: Math.min(requestTimeout, 10_000),
    requestTimeout,
    keepAliveTimeout: IDLE,
    connectionsCheckingInterval: Math.min(requestTimeout, 1_000),
  }, (request, response) => respond(request, response, listener, onError));
  server.maxHeadersCount = 0; // 0 means no limit. With a limit, the parser would drop further headers silently.
  server.on("clientError", (cause, socket) => {
    // A browser opens connections that it may need, and sends nothing.
    if (isHangUp(cause) || (socket as Socket).bytesRead === 0) socket.destroy();
    if (!socket.writable) return; // The client is gone, or has got an answer.
    onError(new Error(`Cannot read a request as HTTP/1.1: ${cause.message}`, { cause }));
    const status = STATUSES[(cause as { code?: string }).code ?? ""] ?? 400;
    const body = `{"message": "${STATUS_CODES[status]}"}`;
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const timer = setTimeout(() => socket.destroy(), GRACE); // Otherwise the client would decide.
    socket.once("close", () => clearTimeout(timer));
  });
  return startServer(server, port, host);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  listener: Listener,
  onError: (error: Error) => void,
): Promise<void> {
  response.on("error", () => {}); // The client is gone. Nothing can be sent.
  request.on("error", () => {});
  try {
    const reply = await answer(request, listener, onError);
    writeHead(response, reply, request);
    await writeBody(response, reply, request.method === "HEAD");
  } catch (error) {
    const { message } = error as Error;
    if (!isHangUp(error)) {
      const { method, headers, url } = request;
      const text = `Cannot send the response to ${method} ${headers.host}${url}: ${message}`;
      onError(new Error(text, { cause: error }));
    }
    response.destroy();
  }
}

async function answer(
  request: IncomingMessage,
  listener: Listener,
  onError: (error: Error) => void,
): Promise<Reply> {
  if (request.rawHeaders.length > 2 * MAX_HEADER_LINES) {
    return errorReply(431, `The request has more than ${MAX_HEADER_LINES} header lines`);
  }
  try {
    return await listener(request);
  } catch (error) {
    onError(new Error(`${request.method} ${request.url}: ${(error as Error).message}`));
    return errorReply(500, "The local platform failed: its log says why");
  }
}

function writeHead(response: ServerResponse, reply: Reply, request: IncomingMessage): void {
  const names = Map.groupBy(reply.headers, ([name]) => name);
  for (const [name, pairs] of names) {
    const values = pairs.map(([, value]) => value);
    response.setHeader(name, values.length === 1 ? values[0]! : values);
  }
  const hasBody = reply.status !== 204 && reply.status !== 304;
  if (hasBody && reply.body instanceof Uint8Array && !response.hasHeader("Content-Length")) {
    response.setHeader("Content-Length", reply.body.length);
  }
  if (!request.complete) response.setHeader("Connection", "close");
  response.writeHead(reply.status);
  if (request.complete) return;
  // The rest of the request is ignored. Close the connection after the client has had time to read the answer.
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
  } else if (isHead) {
    await body.cancel();
    response.end();
  } else {
    response.write(new Uint8Array()); // This sends the head at once. flushHeaders() would encode values in UTF-8 again.
    await pipeline(Readable.fromWeb(body as never), response);
  }
}
