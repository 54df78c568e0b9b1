import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Manifest, OWN_PATHS } from "../manifest/manifest.ts";
import { errorReply, readBody, Refusal, refusal, type Reply, withHeaders } from "../lambda/http.ts";
import type { FunctionUrls } from "./gateway/function_url.ts";
import type { Gateway, HttpRequest } from "./gateway/gateway.ts";
import type { createInvokeApi } from "./invoke/invoke_api.ts";
import { MAX_REQUEST_BODY, MAX_SYNC_EVENT } from "../application/limits.ts";
import type { Log } from "./log.ts";
import { answerPage, createLogStream } from "./page/pages.ts";
import type { createTriggerEndpoints } from "./triggers/endpoints.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface Parts {
  readonly manifest: Manifest;
  readonly log: Log;
  readonly gateway: Gateway;
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
  const { authority, path } = target;
  const functionName = parts.functionUrls.find(authority);
  if (functionName !== undefined) {
    return await parts.functionUrls.answer(functionName, await readRequest(request, target));
  }
  if (!isLocalHost(authority)) {
    const host = JSON.stringify(authority);
    const message = `The request is for the host ${host}, but this server is only for localhost, ` +
      "127.0.0.1, [::1] and function URLs such as name.localhost";
    return errorReply(421, message);
  }
  const [, first = ""] = path.split("/", 2);
  if (!OWN_PATHS.includes(first) && path !== "/") {
    return await parts.gateway(await readRequest(request, target));
  }
  try {
    return guarded(await answerOwn(request, parts, target, first));
  } catch (error) {
    if (error instanceof Refusal) return guarded(error.reply);
    throw error;
  }
}

async function readRequest(
  request: IncomingMessage,
  { authority, path, query }: Target,
): Promise<HttpRequest> {
  const { rawHeaders } = request;
  const time = new Date();
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

async function answerOwn(
  request: IncomingMessage,
  parts: Parts,
  { authority, path, query }: Target,
  first: string,
): Promise<Reply> {
  const { headers } = request;
  const method = request.method!;
  if (isForged(method, headers, authority)) {
    throw refusal(403, "A page of another origin may not do this");
  }
  if (first === "2015-03-31" || first === "2021-11-15") {
    const body = await readBody(request, MAX_SYNC_EVENT);
    return await parts.invokeApi({ method, path, query, headers, body });
  }
  if (["", "assets", "favicon.ico"].includes(first)) {
    return answerPage(parts.manifest, method, path, authority);
  }
  if (path === "/log") return createLogStream(parts.log, headers["last-event-id"]?.toString());
  return await parts.endpoints(request, path);
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
 * Tells whether a request is for this machine. A web page can let its own domain name lead to this machine (DNS rebinding).
 * Such a request has that domain name as its host.
 */
function isLocalHost(host: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host);
}

/**
 * Tells whether a page of another origin made a request that may change something.
 *
 * @see https://fetch.spec.whatwg.org/#origin-header
 * @see https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-site-header
 */
function isForged(method: string, headers: IncomingHttpHeaders, host: string): boolean {
  if (SAFE_METHODS.has(method)) return false;
  const { origin } = headers;
  if (origin !== undefined) return origin.toLowerCase() !== `http://${host.toLowerCase()}`;
  const site = headers["sec-fetch-site"] ?? "none";
  return site !== "none" && site !== "same-origin";
}
