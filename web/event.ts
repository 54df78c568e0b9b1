import type { FnContext } from "../function/event.ts";
import { type JsonObject, readString } from "../function/read.ts";
import { findMap, type Format, parseQuery } from "../gateway/event/format.ts";
import { WEB_FORMAT } from "../gateway/event/gateway_formats.ts";
import { addressOf, withoutPort } from "../gateway/event/request.ts";
import type { FetchSettings } from "./options.ts";

/** The body of a request: its bytes, `null` for none, or the error of everybody who reads it. */
export type RequestBody = Uint8Array<ArrayBuffer> | null | Error;

/** A request as a server received it. */
export interface WebRequest {
  /** The method, as transmitted. */
  readonly method: string;
  /** The target, as transmitted: a path with its query, a whole URL, or `*`. */
  readonly target: string;
  /** The header fields by names in lower case. */
  readonly headers: Record<string, string>;
  /** The scheme of the server. */
  readonly scheme: string;
  /** The address of the other end of the connection, if the server tells it. */
  readonly address: string | undefined;
  /** Calls a listener if the client goes before the response has ended. */
  onGone(listener: () => void): void;
}

/** The places of all facts in the event of a request that no gateway changed. */
const FORMAT: Omit<Format, "body"> & ThisType<{ makeSignal(): AbortSignal }> = {
  name: "web",
  method: ["method"],
  sourceIp: ["requestContext", "sourceIp"],
  userAgent: ["headers", "user-agent"],
  domainName: ["headers", "host"],
  requestId: ["requestContext", "requestId"],
  scheme: ["requestContext", "scheme"],
  path: (event) => readString(event, ["path"]),
  headers: (event) => findMap(event, "headers", false),
  rawQuery: (event) => readString(event, ["query"]),
  query: (event) => parseQuery(readString(event, ["query"])),
  get signal() {
    return this.makeSignal();
  },
};

/** The format of one event, with what no JSON carries. A literal with `__proto__` would be of a new shape each time. */
function formatOf(body: RequestBody, { onGone }: Pick<WebRequest, "onGone">): Format {
  let controller: AbortController | undefined;
  return Object.assign(Object.create(FORMAT), {
    body() {
      if (body instanceof Error) throw body;
      return body;
    },
    makeSignal() { // when it is first needed, because most routes make no `Request`
      if (!controller) {
        controller = new AbortController();
        onGone(() => controller!.abort());
      }
      return controller.signal;
    },
  });
}

/**
 * Makes the event of a request.
 *
 * @returns The event; `undefined` if the target or the host is malformed.
 */
export function makeEvent(
  request: WebRequest,
  body: RequestBody,
  { proxies, endpoint }: FetchSettings,
): JsonObject | undefined {
  const { method, headers } = request;
  const target = readTarget(request.target, method);
  if (!target) return undefined;
  const { path, query, host } = target;
  const { host: field = "localhost" } = headers;
  // Deno puts a malformed field into the URL, where it would change the path.
  if (!isHost(field) || !isHost(host ?? field)) return undefined;
  headers["host"] = host ?? field;
  const forwarded = proxies > 0 && membersOf(headers["x-forwarded-proto"]).at(-1)?.toLowerCase();
  const scheme = endpoint
    ? "https"
    : forwarded === "http" || forwarded === "https"
    ? forwarded
    : request.scheme;
  const requestId = endpoint && headers["lambda-web-request-id"] || crypto.randomUUID();
  const sender = proxies > 0 ? membersOf(headers["x-forwarded-for"]).at(-proxies) : request.address;
  const requestContext: Record<string, string> = { requestId, scheme };
  if (sender !== undefined) requestContext["sourceIp"] = plainAddress(sender);
  const event = { method, path, query, headers, requestContext };
  // A property that JSON, copies and comparisons do not see.
  return Object.defineProperty(event, WEB_FORMAT, { value: formatOf(body, request) });
}

/** Makes the context of a request. */
export function makeContext(
  awsRequestId: string,
  { functionName, timeout }: FetchSettings,
): FnContext {
  const end = performance.now() + timeout * 1_000;
  return {
    awsRequestId,
    functionName,
    functionVersion: "",
    invokedFunctionArn: "",
    memoryLimitInMB: "",
    logGroupName: "",
    logStreamName: "",
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(end - performance.now())),
  };
}

interface Target {
  readonly host?: string | undefined;
  readonly path: string;
  readonly query: string;
}

/** Reads a target (RFC 9112 section 3.2): a path with a query, a whole URL, or `*` of OPTIONS. */
function readTarget(target: string, method: string): Target | undefined {
  if (/[^!-~]|#/.test(target)) return undefined;
  if (target === "*" && method === "OPTIONS") return { path: target, query: "" };
  const [, host, rest = ""] = /^https?:\/\/([^/?]*)(.*)/i.exec(target) ?? [, , target];
  if (host === undefined && rest[0] !== "/") return undefined;
  const mark = rest.indexOf("?");
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return { host, path: path || "/", query: mark < 0 ? "" : rest.slice(mark + 1) };
}

/** The last host that was found to be one, because nearly all requests have the same. */
let known: string | undefined;

/** Whether a text is a host with or without a port (RFC 9110 section 7.2) that a URL does not change. */
function isHost(text: string): boolean {
  if (text === known) return true;
  const url = `http://${text}`;
  if (!URL.canParse(url) || new URL(url).hostname !== withoutPort(text)) return false;
  known = text;
  return true;
}

/** The members of a list (RFC 9110 section 5.6.1). */
function membersOf(field: string | undefined): readonly string[] {
  return field?.split(",").map((member) => member.trim()).filter(Boolean) ?? [];
}

/** An address without its port and zone. An IPv4 address that is mapped to IPv6 is IPv4 again. */
function plainAddress(text: string): string {
  return addressOf(text).replace(/%.*$/s, "").replace(/^::ffff:(?=[\d.]+$)/i, "");
}
