import type { JsonObject } from "../../../function/json.ts";
import { isObject, own, type Path, readOptional, wrongType } from "../../../function/read.ts";

const AUTHORIZER = ["requestContext", "authorizer"] as const;

/**
 * Reads an object below `requestContext`. Absent and null parents give null.
 *
 * @throws {CloudEventSpecificationError} If `requestContext` is absent, or if a part of the path is not an object.
 */
export function readContextObject(event: JsonObject, path: Path): JsonObject | null {
  let value: JsonObject | null = null;
  for (let depth = 2; depth <= path.length; depth++) {
    const part = path.slice(0, depth);
    const next = readOptional(event, part);
    if (next !== null && !isObject(next)) throw wrongType(part, next, "an object or null");
    value = next;
    if (value === null) break;
  }
  return value;
}

/** Reads the context that a Lambda authorizer passed on. An authorizer that passed nothing on gives null. */
export function readAuthorizerContext(event: JsonObject, ...keys: string[]): JsonObject | null {
  const context = Object.entries(readContextObject(event, [...AUTHORIZER, ...keys]) ?? {})
    .filter(([key]) => !OWN_KEYS.includes(key));
  return context.length === 0 ? null : Object.fromEntries(context);
}

/** The keys that API Gateway adds to the context of a Lambda authorizer. */
const OWN_KEYS = ["claims", "scopes", "principalId", "integrationLatency"];

/** Reads the IAM identity, if the given key of the identity is a string. */
export function readIdentity(event: JsonObject, key: string): JsonObject | null {
  const identity = readContextObject(event, ["requestContext", "identity"]);
  return identity !== null && typeof own(identity, key) === "string" ? identity : null;
}
