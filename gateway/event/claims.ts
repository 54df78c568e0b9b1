import type { JsonObject } from "../../function/json.ts";
import { isObject, own, read, specificationError, wrongType } from "../../function/read.ts";

const CONTEXT = ["requestContext"] as const;
const AUTHORIZER = [...CONTEXT, "authorizer"] as const;
const CLAIMS = [...AUTHORIZER, "claims"] as const;

/**
 * The claims that the authorizer of a request found.
 *
 * @param event The event of a request.
 * @returns The claims; `null` if the request is anonymous.
 * @throws {CloudEventSpecificationError} If `requestContext` is absent, or it, the authorizer or the claims
 * are malformed, or where the event is of another kind that keeps its claims elsewhere.
 */
export function readClaims(event: JsonObject): JsonObject | null {
  const context = read(event, CONTEXT);
  if (!isObject(context)) throw wrongType(CONTEXT, context, "an object");
  const authorizer = own(context, "authorizer") ?? null;
  if (authorizer !== null && !isObject(authorizer)) {
    throw wrongType(AUTHORIZER, authorizer, "an object or null");
  }
  const claims = (authorizer && own(authorizer, "claims")) ?? null;
  if (claims === null) {
    // Payload 2.0 keeps them in `jwt`, a load balancer in headers: not to be taken for an anonymous request.
    if (own(event, "version") === "2.0" || own(context, "elb") !== undefined) {
      throw specificationError(CLAIMS, "is absent: this is no event of a REST API");
    }
    return null;
  }
  if (!isObject(claims)) throw wrongType(CLAIMS, claims, "an object or null");
  return claims;
}
