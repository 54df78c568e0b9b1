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
  const text = await Deno.readTextFile(new URL("../../examples/app.json", import.meta.url));
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

for (
  const [problem, change] of [
    ['"foo" is no key of a manifest', (m) => void (m.foo = 1)],
    [
      '"functions.f.a" is no key of a manifest; "functions.f.b" is no key of a manifest',
      (_, f) => void Object.assign(f, { a: 1, b: 1 }),
    ],
    [
      '"functions.F" must be a lower-case letter, then up to 39 lower-case letters, digits or hyphens',
      (m) => void (m.functions = { F: { module: "f.ts" } }),
    ],
    [
      '"functions.f.environment.1A" must be the name of an environment variable',
      (_, f) => void (f.environment = { "1A": "" }),
    ],
    [
      '"functions.f.environment" must have no key "__proto__"',
      (_, f) => void (f.environment = JSON.parse('{"__proto__":"x"}')),
    ],
    ['"functions.f.module" must not be empty', (_, f) => void (f.module = "")],
    [
      '"functions.f.memory" must be a whole number from 128 to 10240',
      (_, f) => void (f.memory = 127),
    ],
    [
      '"functions.f.timeout" must be a whole number from 1 to 900',
      (_, f) => void (f.timeout = 1.5),
    ],
    [
      '"functions.f.description" must have at most 256 characters',
      (_, f) => void (f.description = "x".repeat(257)),
    ],
    [
      '"functions.f.environment" must have at most 4096 bytes, names and values together',
      (_, f) => void (f.environment = { AB: "é".repeat(2047), CD: "x" }),
    ],
    [
      '"functions.f.triggers.bucket.events" must hold at least one type of event',
      (_, f) => void (f.triggers = { bucket: { name: "b", events: [] } }),
    ],
  ] as [string, (m: Record<string, unknown>, f: Record<string, unknown>) => void][]
) {
  Deno.test(`parseManifest() explains what is wrong: ${problem}`, () => {
    const error = assertThrows(() => parseManifest(manifest(change), "app.json"), TypeError);
    assertEquals(error.message, `Cannot use the manifest "app.json": ${problem}`);
  });
}

for (const name of ["AWS_REGION", "AWS_LAMBDA_FUNCTION_NAME", "AWS_SESSION_TOKEN"]) {
  Deno.test(`parseManifest() refuses the environment variable ${name}, which Lambda reserves`, () => {
    const text = manifest((_, f) => void (f.environment = { [name]: "x" }));
    const error = assertThrows(() => parseManifest(text, "app.json"), TypeError);
    assertEquals(
      error.message,
      `Cannot use the manifest "app.json": "functions.f.environment.${name}" must be another variable: Lambda reserves it`,
    );
  });
}

Deno.test("parseManifest() takes environment variables that Lambda lets a function set", () => {
  const names = ["AWS_LAMBDA_EXEC_WRAPPER", "LANG", "LD_LIBRARY_PATH", "NODE_PATH", "PATH", "TZ"];
  const environment = Object.fromEntries(names.map((name) => [name, "x"]));
  const { functions } = parseManifest(
    manifest((_, f) => void (f.environment = environment)),
    "app.json",
  );
  assertEquals(functions.f!.environment, environment);
});

/** A manifest of two functions that listen to one bucket, or two. */
const withEvents = (a: string, b: string, bucket = "files") =>
  manifest((m) => {
    m.functions = Object.fromEntries(
      [["a", "files", a], ["b", bucket, b]].map(([name, bucket, event]) => [name, {
        module: "f.ts",
        triggers: { bucket: { name: bucket, events: [event] } },
      }]),
    );
  });

for (
  const [first, second] of [
    ["s3:ObjectCreated:Put", "s3:ObjectCreated:Put"],
    ["s3:ObjectCreated:*", "s3:ObjectCreated:Put"],
    ["s3:ObjectRemoved:Delete", "s3:ObjectRemoved:*"],
  ] as const
) {
  Deno.test(`parseManifest() refuses ${second} for one function and ${first} for another`, () => {
    const error = assertThrows(() => parseManifest(withEvents(first, second), "app.json"));
    assertEquals(
      (error as Error).message,
      `Cannot use the manifest "app.json": "functions.b.triggers.bucket.events.0" must be another type than ${first}, which "a" has of the bucket: it sends an event to one function`,
    );
  });
}

for (
  const [first, second, bucket] of [
    ["s3:ObjectCreated:Put", "s3:ObjectCreated:Copy", "files"],
    ["s3:ObjectCreated:*", "s3:ObjectRemoved:*", "files"],
    ["s3:ObjectCreated:*", "s3:ObjectCreated:*", "others"],
  ] as const
) {
  Deno.test(`parseManifest() takes ${second} of "${bucket}" beside ${first} of "files"`, () => {
    const { functions } = parseManifest(withEvents(first, second, bucket), "app.json");
    assertEquals(Object.keys(functions), ["a", "b"]);
  });
}

/** A manifest with a route for each of two functions. */
const withRoutes = (a: string, b: string) =>
  manifest((m) =>
    m.functions = Object.fromEntries(
      Object.entries({ a, b }).map(([name, path]) => [name, {
        module: `${name}.ts`,
        triggers: { routes: [{ method: name === "a" ? "GET" : "POST", path }] },
      }]),
    )
  );

for (
  const [first, second, place, mine, other] of [
    ["/a/{x}", "/a/{y}", "/a/", "{y}", "{x}"],
    ["/{x}/b", "/{y}/c", "/", "{y}", "{x}"],
    ["/a/{x}/b", "/a/{proxy+}", "/a/", "{proxy+}", "{x}"],
  ] as const
) {
  Deno.test(`parseManifest() refuses ${second} beside ${first}, which a REST API cannot have`, () => {
    const text = withRoutes(first, second);
    const error = assertThrows(() => parseManifest(text, "app.json"), TypeError);
    assertEquals(
      error.message,
      `Cannot use the manifest "app.json": "functions.b.triggers.routes.0.path" must not have ${mine} after "${place}", where ${other} of "a" stands: a REST API takes one variable there`,
    );
  });
}

for (
  const [first, second] of [["/a/{x}", "/b/{y}"], ["/a/{x}", "/a/{x}/{y}"], ["/{x}", "/a/{y}"]]
) {
  Deno.test(`parseManifest() takes ${second} beside ${first}`, () => {
    assertEquals(Object.keys(parseManifest(withRoutes(first!, second!), "app.json").functions), [
      "a",
      "b",
    ]);
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
