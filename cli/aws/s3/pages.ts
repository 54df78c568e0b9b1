/**
 * Requests of web pages to Amazon S3: presigned URLs, and what the CORS rule of a bucket grants.
 *
 * @module
 */
import { ANY, matchesWildcard } from "../../rules/wildcard.ts";
import { readSigningTime, signerOf } from "../credentials.ts";
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

/** The longest time that a presigned URL is valid, in seconds. */
const MAX_EXPIRY = 604_800;

/** The parameters that a presigned URL has besides those that the signer signed. */
const OWN_PARAMETERS =
  /^X-Amz-(Algorithm|Content-Sha256|Credential|Date|Expires|Signature|SignedHeaders)$/;

/**
 * Checks the signature of a presigned URL.
 *
 * @throws {S3Error} If the signature is missing, wrong or expired.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export async function checkPresigned({ method, url, headers }: Request): Promise<void> {
  const { protocol, host, pathname, searchParams } = new URL(url);
  const text = (name: string) => searchParams.get(name) ?? "";
  const [key = "", , region = ""] = text("X-Amz-Credential").split("/");
  if (!searchParams.has("X-Amz-Expires")) {
    throw new S3Error("AccessDenied", "A web page needs a presigned URL");
  }
  const { time, expiresIn } = readTime(searchParams);
  const names = text("X-Amz-SignedHeaders").split(";").filter((name) => name !== "host");
  const query = [...searchParams].filter(([name]) => !OWN_PARAMETERS.test(name));
  const signer = await signerOf("s3", region, key);
  const signed = await signer.presign({
    method,
    protocol,
    hostname: host,
    path: pathname,
    query: Object.fromEntries(query),
    headers: {
      ...Object.fromEntries(names.map((name) => [name, headers.get(name) ?? ""])),
      "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD",
      host,
    },
  }, {
    expiresIn,
    signingDate: time,
    signableHeaders: new Set(["host", ...names]),
    unhoistableHeaders: new Set(names),
  });
  if (signed.query?.["X-Amz-Signature"] === text("X-Amz-Signature")) return;
  throw new S3Error(
    "SignatureDoesNotMatch",
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
  );
}

/**
 * Reads when a presigned URL was signed, and how long it is valid, in seconds.
 *
 * @throws {S3Error} If the time is over, or if the parameters are wrong.
 */
export function readTime(query: URLSearchParams): { time: Date; expiresIn: number } {
  const time = readSigningTime(query.get("X-Amz-Date") ?? "");
  const expiresIn = Number(query.get("X-Amz-Expires"));
  const problem = Number.isNaN(time.getTime())
    ? "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\""
    : !(expiresIn >= 0)
    ? "X-Amz-Expires must be a non-negative number"
    : expiresIn > MAX_EXPIRY
    ? `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${MAX_EXPIRY} seconds`
    : undefined;
  if (problem !== undefined) throw new S3Error("AuthorizationQueryParametersError", problem);
  if (Date.now() > time.getTime() + expiresIn * 1_000) {
    throw new S3Error("AccessDenied", "Request has expired", { Expires: time.toISOString() });
  }
  return { time, expiresIn };
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
