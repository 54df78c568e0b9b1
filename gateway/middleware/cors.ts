import { checkNames, invalid } from "../../function/read.ts";
import { isFieldValue, isToken } from "../response/headers.ts";
import { reply } from "../response/reply.ts";
import type { Middleware } from "./middleware.ts";

/** Which pages of other origins may use the function (cross-origin resource sharing, the Fetch standard §3.2). */
export interface CorsOptions {
  /** The origins, such as `https://app.example`; `"*"` for all; or a function that decides. */
  readonly origins: "*" | readonly string[] | ((origin: string) => boolean);
  /** Whether requests may carry cookies and authentication; false unless given. Not with `"*"`. */
  readonly credentials?: boolean | undefined;
  /** The methods that are allowed; all unless given. */
  readonly methods?: readonly string[] | undefined;
  /** The request headers that are allowed; all unless given. */
  readonly headers?: readonly string[] | undefined;
  /** The response headers that a page may read. */
  readonly exposeHeaders?: readonly string[] | undefined;
  /** How many seconds a browser may remember a preflight. */
  readonly maxAge?: number | undefined;
}

const NAMES = ["origins", "credentials", "methods", "headers", "exposeHeaders", "maxAge"];

/**
 * Makes a middleware that lets pages of other origins use the function. It answers preflights by itself, with 204, and
 * sets the header fields of CORS on every response, errors included. A preflight that is refused is a 204 without them.
 *
 * @param options The origins, and what their pages may do.
 * @returns The middleware. Let it stand first, so that it sees every response.
 * @throws {TypeError} If an option is invalid: an unknown name, a method or header that is not a token, an origin with a
 * path, or `"*"` with credentials.
 *
 * @example One application may use the function
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { cors, proxyHandler } from "@mate/core/gateway";
 * import { call } from "@mate/core/testing";
 *
 * const handler = proxyHandler(() => ["soup"], { use: [cors({ origins: ["https://app.example"] })] });
 *
 * const { headers } = await call(handler, { url: "/", headers: { Origin: "https://app.example" } });
 * assertEquals(headers.get("Access-Control-Allow-Origin"), "https://app.example");
 * const other = await call(handler, { url: "/", headers: { Origin: "https://other.example" } });
 * assertEquals(other.headers.get("Access-Control-Allow-Origin"), null);
 * ```
 */
export function cors(options: CorsOptions): Middleware {
  checkCors(options);
  const { origins, maxAge } = options;
  const [methods, headers, exposed] = [options.methods, options.headers, options.exposeHeaders]
    .map((names) => names?.join(", "));

  return async (event, _context, next) => {
    const origin = event.header("origin");
    const allowed = allow(origins, origin);
    const method = origin && event.httpMethod() === "OPTIONS"
      ? event.header("access-control-request-method")
      : undefined;
    const answer = method ? undefined : await next();
    const fields: Record<string, string> = {};
    const set = (name: string, value: string | undefined) => {
      if (!allowed || !value) return;
      if (answer) answer.headers.set(name, value);
      else fields[name] = value;
    };
    set("Access-Control-Allow-Origin", allowed);
    set("Access-Control-Allow-Credentials", options.credentials ? "true" : undefined);
    if (answer) {
      set("Access-Control-Expose-Headers", exposed);
      answer.headers.vary("Origin");
      return answer;
    }
    set("Access-Control-Allow-Methods", methods ?? tokensOf(method));
    const requested = event.header("access-control-request-headers");
    set("Access-Control-Allow-Headers", headers ?? tokensOf(requested));
    set("Access-Control-Max-Age", maxAge?.toString());
    fields["Vary"] = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
    return reply(204, undefined, { headers: fields });
  };
}

/** The value of `Access-Control-Allow-Origin`; `undefined` if the origin is refused. */
function allow(origins: CorsOptions["origins"], origin: string | undefined): string | undefined {
  if (origins === "*") return "*";
  // Only a crafted event has a line break within.
  if (!origin || !isFieldValue(origin)) return undefined;
  const isAllowed = typeof origins === "function" ? origins(origin) : origins.includes(origin);
  return isAllowed ? origin : undefined;
}

/** The tokens of a list that the client sent. */
function tokensOf(list = ""): string {
  return list.split(",").map((name) => name.trim()).filter(isToken).join(", ");
}

/** Throws if the options contradict each other or are invalid. */
function checkCors(options: CorsOptions): void {
  checkNames(options, NAMES);
  const { origins, credentials, methods = [], headers = [], exposeHeaders = [], maxAge = 0 } =
    options;
  if (credentials !== undefined && typeof credentials !== "boolean") {
    throw invalid("option credentials", "a boolean");
  }
  if (origins === "*" && credentials) {
    throw invalid("option origins", 'origins by name, not "*", because of the credentials');
  }
  if (origins !== "*" && typeof origins !== "function") {
    checkList(
      "origins",
      origins,
      isOrigin,
      '"*", or origins such as "https://app.example" without a path',
    );
  }
  for (const [name, names] of Object.entries({ methods, headers, exposeHeaders })) {
    checkList(name, names, isToken, "a token");
  }
  if (!Number.isInteger(maxAge) || maxAge < 0) {
    throw invalid("option maxAge", "a whole number of seconds");
  }
}

function checkList(
  name: string,
  list: unknown,
  isValid: (item: unknown) => boolean,
  expected: string,
): void {
  if (!Array.isArray(list)) throw invalid(`option ${name}`, "an array of strings");
  for (const item of list) {
    if (!isValid(item)) throw invalid(`item ${JSON.stringify(item)} in ${name}`, expected);
  }
}

function isOrigin(item: unknown): boolean {
  return typeof item === "string" && /^(null|[a-z][a-z\d+.-]*:\/\/[^\s/?#A-Z]+)$/.test(item);
}
