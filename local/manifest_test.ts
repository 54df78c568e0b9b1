import { assertEquals, assertThrows } from "@std/assert";
import { parseManifest } from "./manifest.ts";

/** The text of a manifest with one function, changed by `change`. */
function manifest(change: (manifest: Record<string, unknown>, f: Record<string, unknown>) => void) {
  const f: Record<string, unknown> = { module: "f.ts" };
  const all: Record<string, unknown> = { name: "app", stage: "v0", functions: { f } };
  change(all, f);
  return JSON.stringify(all);
}

Deno.test("parseManifest() fills in what a manifest leaves out", () => {
  assertEquals(parseManifest(manifest(() => {}), "app.json"), {
    name: "app",
    stage: "v0",
    functions: {
      f: {
        module: "f.ts",
        handler: "handler",
        description: "",
        memory: 128,
        timeout: 3,
        environment: {},
        permissions: { net: [] },
        triggers: {},
      },
    },
  });
});

Deno.test("parseManifest() reads the manifest of the example", async () => {
  const text = await Deno.readTextFile(new URL("../examples/app.json", import.meta.url));
  const { functions } = parseManifest(text, "app.json");
  assertEquals(Object.keys(functions).length, 7);
});

Deno.test("parseManifest() ignores a byte order mark", () => {
  const text = manifest(() => {});
  assertEquals(parseManifest(`\uFEFF${text}`, "app.json"), parseManifest(text, "app.json"));
});

Deno.test("parseManifest() refuses what is not JSON", () => {
  const error = assertThrows(() => parseManifest("{", "app.json"), SyntaxError);
  assertEquals(error.message.startsWith('Cannot read the manifest "app.json": '), true);
});

for (
  const [key, change] of [
    ["functions", (m) => void (m.functions = {})],
    ["functions.f.memory", (_, f) => void (f.memory = 64)],
    ["functions.f.timeout", (_, f) => void (f.timeout = 901)],
    ["functions.f.handler", (_, f) => void (f.handler = "a b")],
    ["functions.f.triggers.schedule", (_, f) => void (f.triggers = { schedule: "rate(0 hours)" })],
    ["functions.f.triggers.schedule", (_, f) => void (f.triggers = { schedule: "rate(1 hours)" })],
    ["functions.f.triggers.schedule", (_, f) => void (f.triggers = { schedule: "rate(5 minute)" })],
    [
      "functions.f.triggers.routes.0.path",
      (_, f) => void (f.triggers = { routes: [{ method: "GET", path: "okay" }] }),
    ],
    [
      "functions.f.triggers.bucket.events.0",
      (_, f) => void (f.triggers = { bucket: { name: "b", events: ["ObjectCreated"] } }),
    ],
    ["stage", (m) => void (m.stage = "v/0")],
    ["stage", (m) => void (m.stage = "buckets")],
    ["name", (m) => void (m.name = "App")],
  ] as [string, (m: Record<string, unknown>, f: Record<string, unknown>) => void][]
) {
  Deno.test(`parseManifest() names the key that is wrong: ${key}`, () => {
    const text = manifest(change);
    const error = assertThrows(() => parseManifest(text, "app.json"), TypeError);
    assertEquals(error.message.startsWith(`Cannot use the manifest "app.json": "${key}" `), true);
  });
}

Deno.test("parseManifest() refuses JSON that is no object", () => {
  const { message } = assertThrows(() => parseManifest("[]", "app.json"), TypeError);
  assertEquals(message.startsWith('Cannot use the manifest "app.json": "the manifest" '), true);
});

Deno.test("parseManifest() refuses a route that two functions have", () => {
  const triggers = { routes: [{ method: "GET", path: "/x" }] };
  const text = JSON.stringify({
    name: "app",
    stage: "v0",
    functions: { a: { module: "a.ts", triggers }, b: { module: "b.ts", triggers } },
  });
  const error = assertThrows(() => parseManifest(text, "app.json"), TypeError);
  assertEquals(
    error.message,
    'Cannot use the manifest "app.json": "functions.b.triggers.routes.0" must be another route than GET /x, which "a" has',
  );
});
