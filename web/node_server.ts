import { setOwn } from "../function/read.ts";
import { type AnswerRequest, isStreamed, type WebResponse } from "./answer.ts";
import type { RequestBody, WebRequest } from "./event.ts";
import type { Address, RuntimeServer } from "./standard_server.ts";
import { brokenOff, tooLarge } from "./to_fetch.ts";

/** The part of a request of `node:http` that is used. */
interface NodeRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly complete: boolean;
  on(event: "data", listener: (chunk: Uint8Array) => void): void;
  on(event: "end" | "close", listener: () => void): void;
  on(event: "error", listener: (error: Error) => void): void;
}

/** The part of a response of `node:http` that is used. */
interface NodeResponse {
  writeHead(status: number, fields: string[]): void;
  write(chunk: Uint8Array): boolean;
  end(content?: string | Uint8Array, encoding?: "latin1"): void;
  destroy(): void;
  on(event: "close" | "drain", listener: () => void): void;
  off(event: "close" | "drain", listener: () => void): void;
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
}

/** The part of a server of `node:http` that is used. */
interface NodeServer {
  listen(address: { port: number; host: string }): void;
  once(event: "listening", listener: () => void): void;
  once(event: "error", listener: (error: Error) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
  address(): { address: string; port: number };
  close(callback: () => void): void;
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

/**
 * Starts a server of `node:http`.
 *
 * @param isTrusted Whether its only client is AWS Lambda, which keeps idle connections and ends slow requests itself.
 */
export async function serveNode(
  { hostname, port }: Address,
  answer: AnswerRequest,
  maxBody: number,
  isTrusted: boolean,
): Promise<RuntimeServer> {
  let isClosing = false;
  const { createServer } = globalThis.process.getBuiltinModule("node:http");
  const server = createServer(
    isTrusted ? { keepAliveTimeout: 0, requestTimeout: 0 } : {},
    nodeListener(answer, maxBody, () => isClosing) as unknown as () => void,
  ) as unknown as NodeServer;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    server.listen({ port, host: hostname });
  });
  const { address, port: own } = server.address();
  return {
    hostname: address,
    port: own,
    stop() {
      isClosing = true;
      // A connection whose response had begun before is idle later.
      const timer = setInterval(() => server.closeIdleConnections(), 20);
      return new Promise<void>((resolve) =>
        server.close(() => {
          clearInterval(timer);
          resolve();
        })
      );
    },
    kill: () => server.closeAllConnections(),
  };
}

/**
 * Makes the listener for the requests of a server of `node:http`. It makes no `Request` and no `Response`, which would take
 * most of the time of a small answer.
 *
 * @param isClosing Whether the server takes no more requests, so that a connection ends after its response.
 */
function nodeListener(
  answer: AnswerRequest,
  maxBody: number,
  isClosing: () => boolean,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const headers = readFields(request.rawHeaders);
    const body = await readBody(request, headers, maxBody);
    const sent = await answer(toWebRequest(request, response, headers), body);
    if (isClosing()) sent.fields.push("Connection", "close");
    await send(sent, response);
  };
}

function toWebRequest(
  request: NodeRequest,
  response: NodeResponse,
  headers: Record<string, string>,
): WebRequest {
  return {
    method: request.method,
    target: request.url,
    headers,
    scheme: "http",
    address: request.socket.remoteAddress,
    onGone(listener) {
      if (response.destroyed) listener();
      else response.on("close", () => response.writableFinished || listener());
    },
  };
}

/** The fields by names in lower case. The values of one name are joined (RFC 9110 section 5.3). */
function readFields(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const value = raw[index + 1]!;
    const separator = name === "cookie" ? "; " : ", ";
    setOwn(headers, name, Object.hasOwn(headers, name) ? headers[name] + separator + value : value);
  }
  return headers;
}

/**
 * Reads a body. At most `maxBody` bytes are kept; the others are read and dropped, because AWS Lambda sends all of a body
 * before it reads a response.
 */
function readBody(
  request: NodeRequest,
  headers: Record<string, string>,
  maxBody: number,
): RequestBody | Promise<RequestBody> {
  const given = headers["content-length"];
  if ((given === undefined || given === "0") && !("transfer-encoding" in headers)) return null;
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on("data", (chunk) => {
      length += chunk.length;
      if (length <= maxBody) chunks.push(chunk);
      else resolve(tooLarge(maxBody));
    });
    request.on("end", () => resolve(join(chunks, length)));
    request.on("error", (error) => resolve(brokenOff(error)));
    request.on("close", () => request.complete || resolve(brokenOff()));
  });
}

async function send(
  { status, fields, content }: WebResponse,
  response: NodeResponse,
): Promise<void> {
  response.writeHead(status, fields);
  // The fields have one character for each byte, and Node.js joins them with a text.
  if (!isStreamed(content)) return response.end(content, "latin1");
  try {
    for (;;) {
      if (response.destroyed) return void await content.return?.();
      const { done, value } = await content.next();
      if (done) return response.end();
      if (!response.write(value)) await untilReady(response);
    }
  } catch { // logged already
    response.destroy();
  }
}

/** Waits until a response has room again, or its client has gone. */
function untilReady(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
    if (response.destroyed) done();
  });
}

/** Joins chunks; `null` without bytes. */
function join(chunks: readonly Uint8Array[], length: number): RequestBody {
  if (length === 0) return null;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
