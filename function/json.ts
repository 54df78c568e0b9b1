/** A value that JSON can carry (RFC 8259), as read from an event: typed read-only, for events are never changed. */
export type JsonValue = string | number | boolean | null | JsonObject | JsonArray;

/** A JSON object (RFC 8259 §4). */
export type JsonObject = { readonly [name: string]: JsonValue };

/** A JSON array (RFC 8259 §5). */
export type JsonArray = readonly JsonValue[];
