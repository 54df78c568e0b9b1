import type { JsonObject } from "../../../function/json.ts";
import { isObject, own, type Path, read, wrongType } from "../../../function/read.ts";

/**
 * Reads an object below `requestContext`. Absent and null parents give null.
 *
 * @throws {CloudEventSpecificationError} If `requestContext` is absent, or if a part of the path is not an object.
 */
export function readContextObject(event: JsonObject, path: Path): JsonObject | null {
  let value = read(event, path.slice(0, 1));
  for (let depth = 1; value !== null || depth === 1; depth++) {
    if (!isObject(value)) {
      throw wrongType(path.slice(0, depth), value, depth > 1 ? "an object or null" : "an object");
    }
    if (depth === path.length) return value;
    value = own(value, path[depth] as string) ?? null;
  }
  return null;
}

/** Reads the context that a Lambda authorizer passed on. An authorizer that passed nothing on gives null. */
export function readAuthorizerContext(event: JsonObject, path: Path): JsonObject | null {
  const context = Object.entries(readContextObject(event, path) ?? {})
    .filter(([key, value]) =>
      !(OWN_KEYS.includes(key) || (value === null && NULL_KEYS.includes(key)))
    );
  return context.length === 0 ? null : Object.fromEntries(context);
}

/** The keys that API Gateway adds to the context of a Lambda authorizer. */
const OWN_KEYS = ["principalId", "integrationLatency"];

/** The keys that payload 1.0 of an HTTP API sends with null if there is no token. */
const NULL_KEYS = ["claims", "scopes"];

/** Reads the IAM identity, if the given key of the identity is a string with characters. */
export function readIdentity(event: JsonObject, key: string): JsonObject | null {
  const identity = readContextObject(event, ["requestContext", "identity"]);
  const name = identity && own(identity, key);
  return typeof name === "string" && name !== "" ? identity : null;
}
