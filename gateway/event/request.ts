import type { JsonObject } from "../../function/json.ts";
import { type Path, readString, specificationError } from "../../function/read.ts";
import type { Format } from "./formats/format.ts";
import { formatOf } from "./formats/recognise.ts";
import { findHeader, isHeader, readFact, readHeaders, requireFact } from "./headers.ts";
import { readBytes } from "./body.ts";

/** Writes the query of a request, percent-encoded again because some gateways decode it. Without parameters it is "". */
export function encodeQuery(event: JsonObject): string {
  const query = formatOf(event).query(event)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  return query && `?${query}`;
}

/** Lone surrogates do not have a UTF-8 form. As in the URL standard, they become U+FFFD. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Reads the path of a request. It always begins with a slash. */
export function readPath(event: JsonObject): string {
  return withSlash(formatOf(event).path(event));
}

/** Reads the path below the stage. It always begins with a slash. */
export function readRoutePath(event: JsonObject): string {
  return withSlash(formatOf(event).routePath(event));
}

function withSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

/**
 * Makes the URL of a request.
 *
 * @throws {CloudEventSpecificationError} If the event has no path, or if the host is not a host.
 */
export function readUrl(event: JsonObject, path: string = readPath(event)): URL {
  const format = formatOf(event);
  const encoded = format.isPathDecoded(event) ? encodeURI(path.toWellFormed()) : path;
  const origin = readOrigin(event, format);
  // The path cannot replace the host, because it follows the host.
  return new URL(origin + encoded.replace(/[?#]/g, encodeURIComponent) + encodeQuery(event));
}

function readOrigin(event: JsonObject, { domainName }: Format): string {
  const scheme = findHeader(event, "x-forwarded-proto")?.toLowerCase() === "http"
    ? "http"
    : "https";
  // The health check of a load balancer may lack the header.
  const host = isHeader(domainName)
    ? readFact(event, domainName) ?? "localhost"
    : requireFact(event, domainName);
  const origin = `${scheme}://${host}`;
  if (URL.canParse(origin) && new URL(origin).hostname === withoutPort(host)) return origin;
  throw specificationError(domainName, `is ${JSON.stringify(host)}, not a host`);
}

/** Removes the port from a host. The host is in lower case. */
export function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

/**
 * Makes the standard request with the same meaning as the request of the client.
 *
 * @throws {CloudEventSpecificationError} If a standard request cannot have the method or a header.
 */
export function readRequest(event: JsonObject, path?: string): Request {
  const format = formatOf(event);
  const method = readString(event, format.method).toUpperCase();
  const checked = new Headers();
  const headers: [name: string, value: string][] = []; // copied faster than a `Headers`
  for (const [name, value] of Object.entries(readHeaders(event))) {
    const bytes = toBytes(value);
    standard(["headers", name], value, () => checked.set(name, bytes));
    headers.push([name, bytes]);
  }
  const hasBody = method !== "GET" && method !== "HEAD" && format.body(event) !== null;
  const body = hasBody ? readBytes(event) : null;
  const url = readUrl(event, path);
  return standard(format.method, method, () => new Request(url.href, { method, headers, body }));
}

/** The `TypeError` of a standard class becomes an error that names the key: a request cannot have the method TRACE. */
function standard<Result>(path: Path, value: string, make: () => Result): Result {
  try {
    return make();
  } catch (cause) {
    const problem = `is ${JSON.stringify(value)}, which a standard request cannot have`;
    throw specificationError(path, problem, { cause });
  }
}

/** Writes a header value as `Headers` takes it: one character for each byte of the UTF-8 form. */
function toBytes(value: string): string {
  if (/^[\0-\xff]*$/.test(value)) return value;
  return String.fromCharCode(...new TextEncoder().encode(value));
}
