/** Checks of the accessors of events. */
import { assertEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError } from "../function/mod.ts";

/** An accessor, the key that it reads, and its result for the sample. */
export type AccessorCase<Source> = [
  accessor: keyof Source & string,
  key: string,
  expected: unknown,
];

/**
 * Checks that each accessor reads its key: of the records, by iteration, and of the event if the event has it. If the key
 * has another type, the error must name the key. If the key is absent or null, an optional accessor must return null.
 */
export function checkAccessors<Source>(
  Event: new (raw: unknown) => Iterable<Source> & { records(): readonly Source[] },
  sample: object,
  cases: readonly AccessorCase<Source>[],
  optional: readonly string[] = [],
): void {
  const read = (source: unknown, name: string) =>
    (source as Record<string, () => unknown>)[name]!();
  for (const [name, key, expected] of cases) {
    const event = new Event(sample);
    const sources = [event.records()[0], ...event, ...(name in event ? [event] : [])];
    for (const source of sources) assertEquals(read(source, name), expected, name);
    for (const value of [undefined, null, true, ["x"], { x: 1 }]) {
      const [record] = new Event(withKey(sample, `Records.0.${key}`, value)).records();
      if (optional.includes(name) && (value === undefined || value === null)) {
        assertEquals(read(record, name), null, name);
        continue;
      }
      const error = assertThrows(() => read(record, name), CloudEventSpecificationError);
      assertEquals(error.path, `Records[0].${key}`, name);
    }
  }
}

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
