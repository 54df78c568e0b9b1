/** A response in the form in which the gateway of the request takes it from a function. */
export interface HttpResponse {
  /** The status code (RFC 9110 §15), 100 to 599. */
  statusCode: number;
  /** The status code with its reason phrase: `404 Not Found`; only for Application Load Balancers and VPC Lattice. */
  statusDescription?: string;
  /** The header fields; no two names differ only in case. */
  headers: Record<string, string>;
  /**
   * Header fields with several values. REST APIs get only those fields here; Application Load Balancers get all fields
   * here, and none in `headers`, if the request came with `multiValueHeaders`.
   */
  multiValueHeaders?: Record<string, string[]>;
  /** The values of `Set-Cookie`; only for payload 2.0 (HTTP APIs and function URLs). */
  cookies?: string[];
  /** The content, as text or as base64. */
  body: string;
  /** Whether `body` is base64, which the gateway decodes. */
  isBase64Encoded: boolean;
}

// A registered symbol, because a bundle may hold two copies of the library.
const BUILT = Symbol.for("@mate/core/gateway/response/1");

/** Marks a response as made on purpose, so that `proxyHandler()` sends it as it is. */
export function markBuilt<Result extends object>(result: Result): Result {
  return Object.defineProperty(result, BUILT, { value: true });
}

/** Whether a result of a route is a response that was made on purpose. */
export function isBuilt(result: unknown): result is HttpResponse {
  return typeof result === "object" && result !== null && Object.hasOwn(result, BUILT);
}
