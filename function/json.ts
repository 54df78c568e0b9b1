/** A value that JSON can carry (RFC 8259), as an event holds it. Objects are read-only, because events are never changed. */
export type JsonValue = string | number | boolean | null | JsonObject | JsonArray;

/** A JSON object (RFC 8259 section 4). */
export type JsonObject = { readonly [name: string]: JsonValue };

/**
 * A JSON array (RFC 8259 section 5). Its type is not read-only, because `Array.isArray()` does not tell a read-only
 * array from an object.
 */
export type JsonArray = JsonValue[];
