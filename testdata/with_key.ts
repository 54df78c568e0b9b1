/**
 * Copies an event with another value at a dotted key, such as `Records.0.s3.object`. Without a value, the copy lacks the key.
 */
export function withKey<Event extends object>(event: Event, key: string, value?: unknown): Event {
  const copy = structuredClone(event);
  const keys = key.split(".");
  const last = keys.pop()!;
  // deno-lint-ignore no-explicit-any -- any event
  const parent = keys.reduce((object: any, name) => object[name], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
