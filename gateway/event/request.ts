import type { JsonObject } from "../../function/json.ts";
import { readOptionalString, readString, wrongValue } from "../../function/read.ts";
import { HttpBadRequestError } from "../errors/client_errors.ts";
import { formatOf } from "./formats/recognise.ts";
import { findHeader, isHeader, readFact, readHeaders } from "./headers.ts";
import { readBytes } from "./body.ts";

/**
 * Writes the query of a request with its `?`: as transmitted if the gateway kept it, otherwise percent-encoded again.
 * Without parameters it is "".
 */
export function writeQuery(event: JsonObject): string {
  const { rawQuery, query } = formatOf(event);
  const text = rawQuery?.(event) ??
    query(event).map((parameter) => parameter.map(encodeText).join("=")).join("&");
  return text && `?${text}`;
}

/** Lone surrogates do not have a UTF-8 form. As in the URL standard, they become U+FFFD. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Reads the path of a request. It always begins with a slash. */
export function readPath(event: JsonObject): string {
  return formatOf(event).path(event).replace(/^(?!\/)/, "/");
}

/** Reads the path below the stage. It always begins with a slash. */
export function readRoutePath(event: JsonObject): string {
  const { path, routePath } = formatOf(event);
  const sent = routePath ? readOptionalString(event, routePath) : null;
  // An HTTP API, and a custom domain whose mapping has no stage, send the stage in both paths.
  const isBelow = sent !== null && sent !== readOptionalString(event, ["requestContext", "path"]);
  const below = isBelow ? sent : withoutStage(path(event), event);
  return below.replace(/^(?!\/)/, "/");
}

function withoutStage(path: string, event: JsonObject): string {
  const stage = readOptionalString(event, ["requestContext", "stage"]);
  const isStaged = stage !== null && `${path}/`.startsWith(`/${stage}/`);
  return isStaged ? path.slice(stage.length + 1) : path;
}

// A URL removes control characters, and reads a backslash as a slash.
const UNSAFE = /[\\\p{Cc}]|(?:^|\/)\.\.?(?:\/|$)/u;

/**
 * Tells whether a URL would make another path of a path. The gateway has checked the authorizer of the path that it saw,
 * so the other path must name nothing.
 */
export function isUnsafePath(event: JsonObject, path: string): boolean {
  const isDecoded = formatOf(event).isPathDecoded?.(event);
  return UNSAFE.test(isDecoded ? path : path.replace(/%2e/gi, "."));
}

/**
 * Writes the URL of a request.
 *
 * @throws {HttpBadRequestError} If a URL would change the path.
 * @throws {CloudEventSpecificationError} If the event has no path, or if the host is not a host.
 */
export function readUrl(event: JsonObject, path: string = readPath(event)): string {
  const { domainName, isPathDecoded } = formatOf(event);
  if (isUnsafePath(event, path)) {
    throw new HttpBadRequestError("The path has a dot segment, backslash or control character");
  }
  const encoded = isPathDecoded?.(event) ? encodeURI(path.toWellFormed()) : path;
  const isPlain = findHeader(event, "x-forwarded-proto")?.toLowerCase() === "http";
  // The health check of a load balancer may lack the header.
  const host = isHeader(domainName)
    ? readFact(event, domainName) ?? "localhost"
    : readString(event, domainName);
  // The path cannot replace the host, because it follows the host.
  const target = encoded.replace(/[?# ]/g, encodeURIComponent) + writeQuery(event);
  const url = `${isPlain ? "http" : "https"}://${host}${target}`;
  if (PLAIN_HOST.test(host)) return url;
  if (URL.canParse(url) && new URL(url).hostname === withoutPort(host)) return url;
  throw wrongValue(domainName, host, "a host");
}

/** A name that means the same in every URL. To parse the URL for this check takes half the time of a `Request`. */
const PLAIN_HOST = /^(?!.*xn--)([a-z\d.-]*\.)?[a-z][a-z\d-]*$/i;

/** Removes the port from a host. The host is in lower case. */
export function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

/**
 * Makes the standard request with the same meaning as the request of the client.
 *
 * @throws {HttpBadRequestError} If a URL would change the path, or if a standard request cannot have the method or a
 * header.
 */
export function readRequest(event: JsonObject, path?: string): Request {
  const format = formatOf(event);
  const method = readString(event, format.method).toUpperCase();
  const fields = readHeaders(event);
  const hasBody = !/^(?:GET|HEAD)$/.test(method) && format.body(event) !== null;
  const body = hasBody ? readBytes(event) : null; // a text without a `Content-Type` would get one
  // An application may read no more than this field says, or refuse a long body because of it.
  if ("content-length" in fields) fields["content-length"] = String(body?.length ?? 0);
  const url = readUrl(event, path);
  let field: string | undefined;
  try {
    const request = new Request(url, { method, body });
    // To pass the fields to the constructor takes half as long again.
    for (const name of Object.keys(fields)) setField(request.headers, field = name, fields[name]!);
    return request;
  } catch (cause) {
    const [what, name] = field === undefined ? ["method", method] : ["header", field];
    throw new HttpBadRequestError(`Invalid ${what} ${JSON.stringify(name)}`, { cause });
  }
}

function setField(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch { // To look for values beyond Latin-1 in every request would take as long as all its other parts.
    // As `Headers` takes it: one character for each byte of the UTF-8 form.
    headers.set(name, String.fromCharCode(...new TextEncoder().encode(value)));
  }
}
