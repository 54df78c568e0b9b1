import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import * as core from "./mod.ts";
import config from "./deno.json" with { type: "json" };
import * as httpEvents from "./testdata/http_events.ts";
import * as serviceEvents from "./testdata/service_events.ts";

/** The modules that have an entry point of their own alone. */
const APART = ["client", "idempotency", "testing", "web", "runtime"];

// `export *` leaves out, without a word, a name that two modules export.
Deno.test("the front door has all that the modules export", async () => {
  for (const [name, path] of Object.entries(config.exports)) {
    if (!path.endsWith("/mod.ts") || APART.includes(name.slice(2))) continue;
    const module = await import(import.meta.resolve(path));
    assert(Object.keys(module).length > 0, name);
    for (const [symbol, value] of Object.entries(module)) {
      assertStrictEquals((core as Record<string, unknown>)[symbol], value, `${name}: ${symbol}`);
    }
  }
});

Deno.test("importing the front door writes nothing, asks for nothing and leaves nothing behind", async () => {
  const code = `
    const before = Reflect.ownKeys(globalThis);
    await import(${JSON.stringify(import.meta.resolve("./mod.ts"))});
    const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key));
    if (added.length > 0) throw new Error(added.map(String).join());
  `;
  const program = `data:text/javascript,${encodeURIComponent(code)}`;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--no-prompt", "--allow-import", program],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  assertEquals(new TextDecoder().decode(stdout), "");
  assert(success);
});

/** A real event in which some values are replaced. Each change is a path through the event, and the new value. */
const changedEvents = fc.tuple(
  fc.constantFrom(...Object.values<object>({ ...httpEvents, ...serviceEvents })),
  fc.array(
    fc.tuple(
      fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.string({ unit: "binary" }),
        fc.constantFrom("%", "%ff", "__proto__", "1e999", "2026-13-01T00:00:00Z", "=", "::1%eth0"),
        fc.string({ unit: fc.constantFrom(...'%+&=;,"\\ /:.-0aé\n'), maxLength: 40 }),
      ),
    ),
    { maxLength: 4 },
  ),
).map(([original, changes]) => {
  const event = structuredClone(original);
  for (const [path, value] of changes) {
    let target = event as Record<string, unknown>;
    for (const [depth, index] of path.entries()) {
      const keys = Object.keys(target);
      const key = keys[index % keys.length];
      if (key === undefined) break;
      const next = target[key];
      if (depth === path.length - 1 || typeof next !== "object" || next === null) {
        Object.defineProperty(target, key, { value, enumerable: true, configurable: true });
        break;
      }
      target = next as Record<string, unknown>;
    }
  }
  return event;
});

/** The arguments of the accessors that need one. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  header: "accept",
  headerPreferences: "accept",
  headerSortedPreferences: "accept",
  queryValues: "accept",
  attributes: "newImage",
};

/** Calls every accessor of an event or a record. An accessor may throw only the documented errors. */
async function readAll(event: object): Promise<void> {
  const accessors = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(event));
  for (const [name, { value: method }] of Object.entries(accessors)) {
    if (name === "constructor" || typeof method !== "function") continue;
    try {
      const result = await method.call(event, ARGUMENTS[name]);
      if (!Array.isArray(result)) continue;
      for (const one of result) if (one instanceof core.FnRecord) await readAll(one);
    } catch (error) {
      const isKnown = error instanceof core.CloudEventSpecificationError ||
        error instanceof core.HttpClientError;
      assert(isKnown, `${event.constructor.name}.${name}() threw ${error}`);
    }
  }
}

Deno.test("the accessors of an event throw only documented errors, and never change the event", async () => {
  const classes = Object.entries(core).filter(([name]) => /^Fn\w+Event$/.test(name))
    .map(([, Event]) => Event as new (raw: unknown) => object);
  assert(classes.length > 5);
  const property = fc.asyncProperty(changedEvents, async (event) => {
    const before = JSON.stringify(event);
    for (const Event of classes) await readAll(new Event(event));
    assertEquals(JSON.stringify(event), before);
  });
  await fc.assert(property, { numRuns: 200 });
});
