/** A value that JSON can carry (RFC 8259), as read from an event; objects are read-only, for events are never changed. */
export type JsonValue = string | number | boolean | null | JsonObject | JsonArray;

/** A JSON object (RFC 8259 §4). */
export type JsonObject = { readonly [name: string]: JsonValue };

/**
 * A JSON array (RFC 8259 §5). Events are never changed here either: it is not typed read-only because
 * `Array.isArray()` would not tell it from an object then, and take what it holds for anything.
 */
export type JsonArray = JsonValue[];
