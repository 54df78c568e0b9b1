import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import {
  allow,
  errorReply,
  readBody,
  Refusal,
  refusal,
  type Reply,
  reply,
  withHeaders,
} from "../lambda/http.ts";
import type { Clock } from "../aws/clock.ts";
import type { FunctionUrls } from "../gateway/function_url.ts";
import type { HttpRequest } from "../gateway/protocol.ts";
import type { createInvokeApi } from "../gateway/invoke_api.ts";
import { MAX_REQUEST_BODY, MAX_SYNC_EVENT } from "../rules/limits.ts";
import type { Log } from "../lambda/log.ts";
import { forwardRequest } from "./forwarded_request.ts";
import { answerFrontDoor } from "./front_door.ts";
import { createStream } from "./stream.ts";
import { answerTraces, type TraceParts } from "./traces/interface.ts";
import type { createTriggerEndpoints } from "./endpoints.ts";

/** The origins of the platform and of the application. Both have the same port, so no resolver and no second port is needed. */
const HOSTS = { platform: "127.0.0.1", application: "localhost" } as const;

/** Returns the URL of an origin, without a slash at the end. */
export function originOf(part: keyof typeof HOSTS, port: number): string {
  return `http://${HOSTS[part]}:${port}`;
}

/** Returns the URL of the platform itself, with its secret, without a slash at the end. */
export function controlUrlOf({ port, secret }: { port: number; secret: string }): string {
  return `${originOf("platform", port)}/${secret}`;
}

export interface Parts {
  /** The first element of each path of the platform itself. */
  readonly secret: string;
  /** Answers a request to the start page, its assets, the icon or the document of the API. */
  readonly page: (method: string, path: string, application: string) => Promise<Reply>;
  readonly log: Log;
  readonly traces: TraceParts;
  readonly clock: Clock;
  readonly settled: () => Promise<void>;
  readonly gateway: (request: HttpRequest) => Promise<Reply>;
  /** Tells whether a route of the application takes a request. */
  readonly serves: (method: string, path: string) => boolean;
  /** Whether the system tells functions from other programs. */
  readonly isConfined: boolean;
  /** The name of the application. */
  readonly name: string;
  readonly functionUrls: FunctionUrls;
  readonly invokeApi: ReturnType<typeof createInvokeApi>;
  readonly endpoints: ReturnType<typeof createTriggerEndpoints>;
}

/** The parts of the target of a request. */
interface Target {
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

/** Answers a request with the responsible part of the platform. */
export async function answer(request: IncomingMessage, parts: Parts): Promise<Reply> {
  // RFC 9112 section 3.2: two readers could read two different hosts.
  if ((request.headersDistinct["host"]?.length ?? 0) > 1) {
    return errorReply(400, "The request has more than one Host header");
  }
  const target = readTarget(request);
  const port = request.socket.localPort!;
  const [, host = "", named = "80"] = /^(.*?)(?::(\d{1,5}))?$/s.exec(
    target.authority.toLowerCase(),
  )!;
  const isOwnPort = Number(named) === port; // A proxy brings requests for other ports of this machine.
  const functionName = parts.functionUrls.find(host);
  if (isOwnPort && functionName !== undefined) {
    return await parts.functionUrls.answer(
      functionName,
      await readRequest(request, target, parts.clock),
    );
  }
  if (!isOwnPort || !LOCAL_HOSTS.includes(host)) {
    const shown = JSON.stringify(target.authority);
    const message =
      `The request is for the host ${shown}, but this server is only for the port ${port} of ` +
      "localhost, 127.0.0.1, [::1] and function URLs such as name.localhost";
    return errorReply(421, message);
  }
  if (host === HOSTS.application) return await answerApplication(request, parts, target);
  const root = `/${parts.secret}`;
  if (isFrontDoor(request, target)) return guarded(openDoor(request, parts, port));
  if (target.path === root) return guarded(reply(308, [["Location", `${root}/`]]));
  if (!target.path.startsWith(`${root}/`)) {
    const message = "The address needs its secret: the platform prints it at its start";
    return guarded(errorReply(403, message));
  }
  try {
    const own = { ...target, path: target.path.slice(root.length) };
    return guarded(await answerOwn(request, parts, own, port));
  } catch (error) {
    if (error instanceof Refusal) return guarded(error.reply);
    throw error;
  }
}

/** Answers a request to the origin of the application: the routes. */
async function answerApplication(
  request: IncomingMessage,
  parts: Parts,
  target: Target,
): Promise<Reply> {
  const { method = "" } = request;
  const isServed = parts.serves(method, target.path);
  if (!isServed && target.path === "/favicon.ico") return parts.page(method, target.path, ""); // for the pages of functions
  if (!isServed && isFrontDoor(request, target)) {
    return openDoor(request, parts, request.socket.localPort!);
  }
  const answered = await parts.gateway(await readRequest(request, target, parts.clock));
  // With this header, a page could install a service worker for all paths, which would also answer for other applications.
  const headers = answered.headers.filter(([name]) =>
    name.toLowerCase() !== "service-worker-allowed"
  );
  return { ...answered, headers };
}

function isFrontDoor({ method }: IncomingMessage, { path }: Target): boolean {
  return path === "/" && (method === "GET" || method === "HEAD");
}

function openDoor(request: IncomingMessage, { secret, ...parts }: Parts, port: number): Reply {
  return answerFrontDoor(request, { ...parts, startPage: `${controlUrlOf({ port, secret })}/` });
}

async function readRequest(
  request: IncomingMessage,
  { authority, path, query }: Target,
  clock: Clock,
): Promise<HttpRequest> {
  const { rawHeaders } = request;
  const time = clock.date();
  return {
    method: request.method!,
    url: `http://${authority}${path}${query && `?${query}`}`,
    authority,
    path,
    query,
    headers: Array.from(
      { length: rawHeaders.length / 2 },
      (_, index) => [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!],
    ),
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: request.socket.remoteAddress!,
    body: await readBody(request, MAX_REQUEST_BODY),
    time,
  };
}

/** Answers a request to the origin of the platform. */
async function answerOwn(
  request: IncomingMessage,
  parts: Parts,
  { authority, path, query }: Target,
  port: number,
): Promise<Reply> {
  const { headers } = request;
  const method = request.method!;
  const isStartPage = path === "/" && (method === "GET" || method === "HEAD");
  if (!isStartPage && isForeign(headers, authority)) {
    throw refusal(403, "A page of another origin may not do this");
  }
  const application = originOf("application", port);
  const [, first = ""] = path.split("/", 2);
  switch (first) {
    case "2015-03-31":
    case "2021-11-15": {
      const body = await readBody(request, MAX_SYNC_EVENT);
      return await parts.invokeApi({ method, path, query, headers, body });
    }
    case "":
    case "assets":
    case "favicon.ico":
    case "openapi.json":
      return await parts.page(method, path, application);
    case "log":
      return createStream(parts.log, parts.traces.traces, headers["last-event-id"]?.toString());
    case "spans":
    case "traces":
      return answerTraces(request, path, query, parts.traces);
    case "settled":
      allow(method, "GET");
      await parts.settled();
      return reply(204);
    case "requests":
      return await forwardRequest(request, parts.gateway, application, parts.clock.date());
    default: {
      const message = `There is no ${path} here: the application is at ${application}`;
      return await parts.endpoints(request, path) ?? errorReply(404, message);
    }
  }
}

/** Forbids pages of other origins to use a response of the platform, as a script or otherwise. */
function guarded(reply: Reply): Reply {
  return withHeaders(reply, [
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ["X-Content-Type-Options", "nosniff"],
  ]);
}

/** Reads a target: a path or a URL. The host of a URL takes precedence over `Host` (RFC 9112 section 3.2.2). */
function readTarget({ url = "", headers }: IncomingMessage): Target {
  const [, authority = headers.host ?? "", target = ""] = /^http:\/\/([^/?]*)(.*)$/is.exec(url) ??
    [url, undefined, url];
  const mark = target.indexOf("?");
  const path = (mark < 0 ? target : target.slice(0, mark)) || "/";
  return { authority, path, query: mark < 0 ? "" : target.slice(mark + 1) };
}

/**
 * The hosts of this machine. A web page can let its own domain name lead to this machine (DNS rebinding). Such a request has
 * that domain name as its host.
 */
const LOCAL_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Tells whether a page of another origin made a request. The pages of functions are such pages.
 *
 * @see https://fetch.spec.whatwg.org/#origin-header
 * @see https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-site-header
 */
function isForeign(headers: IncomingHttpHeaders, host: string): boolean {
  const { origin } = headers;
  if (origin !== undefined) return origin.toLowerCase() !== `http://${host.toLowerCase()}`;
  const site = headers["sec-fetch-site"] ?? "none";
  return site !== "none" && site !== "same-origin";
}
