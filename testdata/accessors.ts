/** Checks of the events with records. */
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { CloudEventSpecificationError, type FnRecord } from "../function/mod.ts";

type EventClass<Source> = new (raw: unknown) => Iterable<Source> & { records(): readonly Source[] };

const read = (source: unknown, name: string) => (source as Record<string, () => unknown>)[name]!();

export const refuse = (action: () => unknown) => assertThrows(action, CloudEventSpecificationError);

/**
 * Checks that each accessor of the records reads its key. If the event has the same accessor, checks the event too. If the
 * key has another type, the error must name the key. If the key is absent or null, an optional accessor must return null.
 */
export function checkAccessors<Source>(
  Event: EventClass<Source>,
  sample: object,
  cases: readonly (readonly [accessor: string, key: string, expected: unknown])[],
  optional: readonly string[] = [],
): void {
  for (const [name, key, expected] of cases) {
    const event = new Event(sample);
    const sources = [event.records()[0], ...event, ...(name in event ? [event] : [])];
    for (const source of sources) assertEquals(read(source, name), expected, name);
    for (const value of [undefined, null, true, ["x"], { x: 1 }]) {
      const [record] = new Event(withKey(sample, `Records.0.${key}`, value)).records();
      if (optional.includes(name) && (value === undefined || value === null)) {
        assertEquals(read(record, name), null, name);
      } else assertEquals(refuse(() => read(record, name)).path, `Records[0].${key}`, name);
    }
    if (!(name in event)) continue;
    for (const [Records, count] of [[[], "no record"], [[null, null], "2 records"]] as const) {
      const message = `Cannot read the event: "Records" holds ${count}: use records()`;
      assertEquals(refuse(() => read(new Event({ Records }), name)).message, message);
    }
  }
}

/** Checks that a record fails alone, and that events without records and records of other services are refused. */
export function checkRecords<Source extends FnRecord>(
  Event: EventClass<Source>,
  Record: new (raw: unknown, index?: number) => Source,
  sample: { Records: object[] },
  name: keyof Source & string,
): void {
  const [good] = sample.Records;
  const mixed = new Event({ Records: [null, "x", good] }).records();
  for (const [index, kind] of ["null", "a string"].entries()) {
    const { message } = refuse(() => read(mixed[index], name));
    assertEquals(message, `Cannot read the event: "Records[${index}]" is ${kind}, not an object`);
  }
  assertEquals(mixed.map((record) => record.rawRecord()), [null, "x", good as never]);
  assertEquals(read(mixed[2], name), read(new Record(sample, 0), name));
  assertStrictEquals(new Record(sample, 0).rawEvent, sample as never);
  assertEquals(refuse(() => read(new Record(sample, 1), name)).path, "Records[1]");
  const cases = [
    [{}, "is absent"],
    [{ Records: null }, "is null, not an array"],
    [{ Records: { length: 1 } }, "is an object, not an array"],
  ] as const;
  for (const [raw, problem] of cases) {
    const { message } = refuse(() => new Event(raw).records());
    assertEquals(message, `Cannot read the event: "Records" ${problem}`);
  }
  for (const key of ["eventSource", "EventSource"]) {
    const [record] = new Event({ Records: [{ ...good, [key]: "aws:unknown" }] }).records();
    const { message } = refuse(() => read(record, name));
    const problem = `"Records[0].${key}" is "aws:unknown", not "aws:`;
    assertEquals(message.startsWith(`Cannot read the event: ${problem}`), true, message);
  }
  assertThrows(() => new Event([]), TypeError);
}

/**
 * Copies an event with another value at a dotted key, such as `Records.0.s3.object`. Without a value, the key is deleted.
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
