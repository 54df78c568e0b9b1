import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Manifest, OWN_PATHS } from "../manifest/manifest.ts";
import { errorReply, readBody, Refusal, refusal, type Reply } from "./http.ts";
import type { FunctionUrls } from "./gateway/function_url.ts";
import type { Gateway, HttpRequest } from "./gateway/gateway.ts";
import type { createInvokeApi } from "./invoke/invoke_api.ts";
import { MAX_REQUEST_BODY, MAX_SYNC_EVENT } from "./limits.ts";
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

/** Sends a request to the part of the platform that it is for. */
export async function answer(request: IncomingMessage, parts: Parts): Promise<Reply> {
  // RFC 9112 section 3.2: otherwise two readers may disagree about the host.
  if ((request.headersDistinct["host"]?.length ?? 0) > 1) {
    return errorReply(400, "The request has more than one Host header");
  }
  const { authority = "", path, query } = readTarget(request);
  const functionName = parts.functionUrls.find(authority);
  if (functionName !== undefined) {
    const httpRequest = await readRequest(request, { authority, path, query });
    return await parts.functionUrls.answer(functionName, httpRequest);
  }
  if (!isLocalHost(authority)) {
    const host = JSON.stringify(authority);
    const message = `The request is for the host ${host}, but this server is only for localhost, ` +
      "127.0.0.1, [::1] and function URLs such as name.localhost";
    return errorReply(421, message);
  }
  const [, first = ""] = path.split("/", 2);
  if (!OWN_PATHS.includes(first) && path !== "/") {
    return await parts.gateway(await readRequest(request, { authority, path, query }));
  }
  try {
    return guarded(await answerOwn(request, parts, { authority, path, query, first }));
  } catch (error) {
    if (error instanceof Refusal) return guarded(error.reply);
    throw error;
  }
}

async function readRequest(
  request: IncomingMessage,
  { authority, path, query }: Record<"authority" | "path" | "query", string>,
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
  { authority, path, query, first }: Record<"authority" | "path" | "query" | "first", string>,
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

/** A response of the platform's own that no page of another origin may use, as a script or otherwise. */
function guarded(reply: Reply): Reply {
  const headers = [
    ...reply.headers,
    ["Cross-Origin-Resource-Policy", "same-origin"],
    ["X-Content-Type-Options", "nosniff"],
  ] as const;
  return { ...reply, headers };
}

/** The parts of a request's target: a path or a URL. The host of a URL takes precedence over Host (RFC 9112 §3.2.2). */
function readTarget({ url = "", headers }: IncomingMessage) {
  const [, authority = headers.host, target = ""] = /^http:\/\/([^/?]*)(.*)$/is.exec(url) ??
    [url, undefined, url];
  const mark = target.indexOf("?");
  const path = (mark < 0 ? target : target.slice(0, mark)) || "/";
  return { authority, path, query: mark < 0 ? "" : target.slice(mark + 1) };
}

/**
 * Whether a request is for this machine. A page on the web can make its own name point here (DNS rebinding), but then the
 * request carries that name.
 */
function isLocalHost(host: string | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host ?? "");
}

/**
 * Whether a request that may change something was made by a page of another origin.
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
