import { Ajv } from "ajv";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { FULL } from "../testdata/manifest.ts";
import { Checker } from "./checker.ts";
import schema from "./schema.json" with { type: "json" };

const ajv = new Ajv({ strict: false, logger: false, useDefaults: true }); // without our formats
const byAjv = ajv.compile(schema);
const checker = new Checker(schema, {});

/** A key of an object that is set to another value. */
interface Change {
  /** Chooses the object. */
  readonly place: number;
  /** Chooses a key of the object, if none is named. */
  readonly key: number | string;
  /** The new value. Without one, the key is removed. */
  readonly value?: unknown;
}

const CHANGE: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(),
  key: fc.oneof(fc.nat(), fc.constantFrom("__proto__", "toString", "a/b~c%2F", "", "é")),
  value: fc.oneof(
    fc.constantFrom(null, true, 0, -1, 1.5, 128, 1e9, "", "a", "deno", "/x", "cron(0 3 * * ? *)"),
    fc.constantFrom<unknown>([], [1], ["a"], {}, { a: 1 }, { module: "f.ts" }, [{ name: "a" }]),
  ),
}, { requiredKeys: ["place", "key"] });

function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

function apply(manifest: unknown, { place, key, value }: Change): void {
  const objects = objectsIn(manifest);
  const object = objects[place % objects.length]! as Record<string, unknown>;
  const keys = Object.keys(object);
  const name = typeof key === "string" ? key : keys[key % keys.length] ?? "new";
  if (value === undefined) delete object[name];
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true });
}

Deno.test("the checker refuses what Ajv refuses, names each wrong key, and fills in the same defaults", () => {
  fc.assert(
    fc.property(fc.array(CHANGE, { minLength: 1, maxLength: 3 }), (changes) => {
      const changed = JSON.parse(FULL);
      for (const change of changes) apply(changed, structuredClone(change));
      const before = JSON.stringify(changed);
      const manifest = JSON.parse(before);
      const problems = checker.problemsOf(manifest);
      const other = JSON.parse(before);
      assertEquals(problems.length === 0, byAjv(other), JSON.stringify([problems, byAjv.errors]));
      assertEquals(JSON.stringify(manifest), before, "the manifest was changed");
      for (const { text } of problems) assertEquals(/undefined|\[object/.test(text), false, text);
      if (problems.length > 0) return;
      checker.fillIn(manifest);
      assertEquals(manifest, other);
    }),
    { numRuns: 400 },
  );
});

Deno.test("the checker says that a key with half of a character is wrong", () => {
  const [problem] = checker.problemsOf({ name: "a", functions: { "\ud800": {} } });
  assertEquals(problem!.text, "a key of the manifest has half of a character: \\ud800 to \\udfff");
});

Deno.test("the checker refuses a value also by a keyword that it has no words for", () => {
  const list = new Checker({ type: "object", properties: { a: { uniqueItems: true } } }, {});
  assertEquals(list.problemsOf({ a: [1, 2] }), []);
  assertEquals(list.problemsOf({ a: [1, 1] }).map(({ path }) => path), [["a"]]);
});

Deno.test("the checker words the unknown keys of an object once", () => {
  const keys = Array.from({ length: 2_000 }, (_, index) => [`#${index}`, 1]);
  const manifest = { name: "a", functions: { f: { module: "f.ts" } }, ...Object.fromEntries(keys) };
  assertEquals(checker.problemsOf(manifest).length, 2); // The stage is missing, too.
});
