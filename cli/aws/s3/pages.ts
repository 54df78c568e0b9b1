/**
 * Requests of web pages to Amazon S3: what the CORS rule of a bucket grants.
 *
 * @module
 */
import { ANY, matchesWildcard } from "../../rules/wildcard.ts";
import { S3Error } from "../service_call.ts";

/** The rule of a bucket for pages of other origins. `*` stands for any origin or header. */
export interface BucketCors {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly exposeHeaders: readonly string[];
  /** In seconds. */
  readonly maxAge: number;
}

export function answerPreflight({ headers, url }: Request, cors?: BucketCors): Response {
  const method = headers.get("access-control-request-method") ?? "";
  const asked = (headers.get("access-control-request-headers") ?? "").toLowerCase()
    .split(",").map((name) => name.trim()).filter((name) => name !== "");
  const granted = grantsOf(cors, headers.get("origin"), method);
  const isAllowed = (name: string) =>
    cors?.headers.some((pattern) => matches(pattern.toLowerCase(), name));
  if (cors === undefined || granted === undefined || !asked.every(isAllowed)) {
    const [, , key] = new URL(url).pathname.split("/", 3);
    throw new S3Error(
      "AccessForbidden",
      cors === undefined
        ? "CORSResponse: CORS is not enabled for this bucket."
        : "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
      { Method: method, ResourceType: key ? "OBJECT" : "BUCKET" },
    );
  }
  if (asked.length > 0) granted["Access-Control-Allow-Headers"] = asked.join(", ");
  if (cors.maxAge > 0) granted["Access-Control-Max-Age"] = String(cors.maxAge);
  return new Response(null, { headers: granted });
}

/** Adds the CORS fields of the bucket to a response. If the object is a page, its scripts do not run. */
export function grantPage(
  response: Response,
  request: Request,
  cors?: BucketCors,
): Response {
  const granted = grantsOf(cors, request.headers.get("origin"), request.method);
  for (const [name, value] of Object.entries(granted ?? {})) response.headers.set(name, value);
  response.headers.set("Content-Security-Policy", "sandbox");
  return response;
}

/** The header fields for a page of an origin, or `undefined` if the rule does not match. */
function grantsOf(
  cors: BucketCors | undefined,
  origin: string | null,
  method: string,
): Record<string, string> | undefined {
  const pattern = origin === null
    ? undefined
    : cors?.origins.find((pattern) => matches(pattern, origin));
  if (cors === undefined || pattern === undefined || !cors.methods.includes(method)) {
    return undefined;
  }
  return {
    "Access-Control-Allow-Origin": pattern === "*" ? "*" : origin!,
    "Access-Control-Allow-Methods": cors.methods.join(", "),
    ...(pattern === "*" ? {} : { "Access-Control-Allow-Credentials": "true" }),
    ...(cors.exposeHeaders.length > 0 &&
      { "Access-Control-Expose-Headers": cors.exposeHeaders.join(", ") }),
    Vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
  };
}

/** Matches a text against a pattern of a CORS rule: `*` stands for any characters. */
function matches(pattern: string, text: string): boolean {
  return matchesWildcard([...pattern].map((part) => part === "*" ? ANY : part), text);
}
