import { invalid } from "../../function/read.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { addVary, checkValue, type HeaderMap, setField } from "./headers.ts";
import { requestHeader } from "./answer.ts";

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

/** Throws if the options contradict each other or are invalid. */
export function checkCors(cors: CorsOptions): CorsOptions {
  const { origins, credentials, methods = [], headers = [], exposeHeaders = [], maxAge = 0 } = cors;
  if (origins === "*" && credentials) {
    throw invalid("cors", 'origins by name, not "*", because of the credentials');
  }
  const named = origins === "*" || typeof origins === "function" ? [] : origins;
  // The lists become header values, so a line break within is found now.
  for (const [key, list] of Object.entries({ origins: named, methods, headers, exposeHeaders })) {
    if (!Array.isArray(list)) throw invalid(`cors.${key}`, "an array of strings");
    for (const item of list) checkValue(`cors.${key}`, item);
  }
  for (const origin of named) {
    if (!/^(null|[a-z][a-z\d+.-]*:\/\/[^/?#A-Z]+)$/.test(origin)) {
      const what = `item ${JSON.stringify(origin)} in cors.origins`;
      throw invalid(what, `"*", or origins such as "https://app.example" without a path`);
    }
  }
  if (!Number.isInteger(maxAge) || maxAge < 0) {
    throw invalid("cors.maxAge", "a whole number of seconds");
  }
  return { ...cors };
}

/** The method that a preflight asks for, or `undefined` if the request is not a preflight. */
export function preflightMethod(event: FnProxyEvent): string | undefined {
  const method = header(event, "access-control-request-method");
  const isPreflight = method && header(event, "origin") && event.httpMethod() === "OPTIONS";
  return isPreflight ? method : undefined;
}

/** The header fields of CORS for the response to a request. */
export function corsFields(cors: CorsOptions, event: FnProxyEvent): HeaderMap {
  const { origins, methods, headers } = cors;
  const origin = header(event, "origin");
  const method = preflightMethod(event);
  const fields: HeaderMap = new Map();
  addVary(fields, "Origin");
  if (method) addVary(fields, "Access-Control-Request-Method, Access-Control-Request-Headers");
  const isAllowed = origins === "*" ||
    (origin && (typeof origins === "function" ? origins(origin) : origins.includes(origin)));
  if (!isAllowed) return fields;
  const values = {
    "Allow-Origin": origins === "*" ? "*" : origin,
    "Allow-Credentials": cors.credentials && "true",
    "Expose-Headers": method ? "" : cors.exposeHeaders?.join(", "),
    ...method && {
      "Allow-Methods": methods?.join(", ") ?? method,
      "Allow-Headers": headers?.join(", ") ?? header(event, "access-control-request-headers"),
      "Max-Age": cors.maxAge?.toString(),
    },
  };
  for (const [name, value] of Object.entries(values)) {
    if (value) setField(fields, `Access-Control-${name}`, value);
  }
  return fields;
}

function header(event: FnProxyEvent, name: string): string | undefined {
  return requestHeader(event, name, 500);
}
