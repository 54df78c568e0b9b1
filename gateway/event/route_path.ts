import { quote } from "../../function/arguments.ts";
import { own, readOptionalString } from "../../function/read.ts";
import { percentDecode } from "./format.ts";
import type { GatewayEvent } from "./gateway_formats.ts";
import { encodeText, isUnsafePath, UNSAFE, withSlash } from "./request.ts";

/** The options about the path that routes match and that an application sees. */
export interface RoutesOptions {
  /**
   * A base path such as `/shop` that is taken off the path, because the event does not tell it: behind a load balancer,
   * VPC Lattice, a function URL behind Amazon CloudFront, and for `$default` with payload 1.0. A path outside of it
   * stays as it is. With `""`, no base path is taken off, not even one that the event tells.
   */
  readonly basePath?: string | undefined;
}

/** Checks the option `basePath`: `""`, or a path that begins with a slash and does not end with one. */
export function readBasePath({ basePath }: RoutesOptions): string | undefined {
  if (basePath === undefined) return undefined;
  const isPath = typeof basePath === "string" && /^(\/[^?#{}]*[^?#{}/])?$/.test(basePath) &&
    !UNSAFE.test(percentDecode(basePath) ?? basePath);
  if (isPath) return basePath;
  throw new TypeError(
    `Invalid option basePath: expected a path such as "/shop" or "", got ${quote(basePath)}`,
  );
}

/**
 * Reads the path below the stage and below the base path that the event tells. It always begins with a slash.
 *
 * @param keepsBase Whether the base path that the event tells stays.
 */
export function readPathBelow(event: GatewayEvent, keepsBase = false): string {
  const { path, routePath } = event.format;
  const second = routePath ? readOptionalString(event.raw, routePath) : null;
  const sent = withSlash(second ?? path(event.raw));
  const told = readTold(event, sent);
  if (told === sent || told !== undefined && !keepsBase) return told;
  // An HTTP API, and a custom domain, send the same path twice.
  const isBelow = second !== null &&
    second !== readOptionalString(event.raw, ["requestContext", "path"]);
  const stage = isBelow ? null : readOptionalString(event.raw, ["requestContext", "stage"]);
  const isStaged = stage !== null && `${sent}/`.startsWith(`/${stage}/`);
  return isStaged ? withSlash(sent.slice(stage.length + 1)) : sent;
}

/** Reads the path that routes match and that an application sees: without the stage and without the base path. */
export function readRoutePath(event: GatewayEvent, basePath?: string): string {
  const below = readPathBelow(event, basePath === "");
  const { routePath } = event.format;
  const sent = basePath && routePath && readOptionalString(event.raw, routePath);
  // The event tells the base path of the option too.
  const isOff = sent && sent !== below && withoutBase(sent, basePath) === below;
  return basePath && !isOff ? withoutBase(below, basePath) : below;
}

/**
 * Reads a path that an HTTP API decoded, percent-encoded again. A value such as `7%2Fcancel` looks like two parts. The
 * route that the API matched, and its parameters, tell the parts apart.
 *
 * @param path The decoded path; see {@linkcode readRoutePath}.
 * @returns The path; `undefined` if the event does not tell the route and its parameters.
 */
export function readMatchedPath(
  event: GatewayEvent,
  path: string,
  basePath = "",
): string | undefined {
  const matched = fillRoute(event);
  const encoded = fillRoute(event, (value, plus) => (plus ? encodeParts : encodeText)(value));
  if (matched === undefined || encoded === undefined) return undefined;
  if (path.endsWith(matched)) {
    return encodeParts(path.slice(0, path.length - matched.length)) + encoded;
  }
  return withoutBase(matched, basePath) === path ? withoutBase(encoded, basePath) : undefined;
}

/**
 * Reads the end of a path that the event tells: the route that the gateway matched has so many parts, and the base path of
 * a custom domain stands before them.
 */
function readTold(event: GatewayEvent, path: string): string | undefined {
  const matched = fillRoute(event);
  if (matched === undefined || matched === path) return matched;
  const parts = withoutSlash(path).split("/");
  const count = withoutSlash(matched).split("/").length - 1;
  const base = parts.slice(0, count === 0 ? 2 : -count).join("/");
  const told = path.slice(base.length);
  const isSame = parts.length > count && isSamePath(withoutSlash(told), withoutSlash(matched));
  // What a `URL` would change is not a base path.
  return isSame && !isUnsafePath(event, base) ? withSlash(told) : undefined;
}

/** Fills the route that the gateway matched, such as `/files/{path+}`, with the values of its parameters. */
function fillRoute(
  { raw }: GatewayEvent,
  write: (value: string, plus: string) => string = (value) => value,
): string | undefined {
  const route = readOptionalString(raw, ["routeKey"]) ?? readOptionalString(raw, ["resource"]);
  const resource = /\/.*/.exec(route ?? "")?.[0]; // `$default` has none
  const values = Object(own(raw, "pathParameters"));
  let isWhole = true;
  const filled = resource?.replace(/{([^+}]+)(\+?)}/g, (_, name, plus) => {
    const value = own(values, name);
    isWhole &&= typeof value === "string";
    return isWhole ? write(value as string, plus) : "";
  });
  return isWhole ? filled : undefined;
}

/** The path below a base path; the path as it stands if it is outside of the base path. */
function withoutBase(path: string, basePath: string): string {
  const parts = path.split("/");
  const count = basePath.split("/").length;
  const isBelow = isSamePath(parts.slice(0, count).join("/"), basePath);
  return isBelow ? `/${parts.slice(count).join("/")}` : path;
}

/** Whether two paths have the same parts, apart from their encoding. */
function isSamePath(one: string, other: string): boolean {
  return one === other || recoded(one) === recoded(other);
}

/** A path whose parts are all encoded alike. */
function recoded(path: string): string {
  return path.split("/").map((part) => encodeText(percentDecode(part) ?? part)).join("/");
}

function encodeParts(text: string): string {
  return text.split("/").map(encodeText).join("/");
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}
