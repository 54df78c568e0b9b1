import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { bundles, makeApp, makeDenoPackage, minified } from "../testdata/bundle.ts";
import { bundleFunctions } from "./functions.ts";
import { bundle, entries, FUNCTIONS, MODULES } from "./testdata/bundle_app.ts";

/** The application of tests that are about what is written. Its bundles are kept after the first of them. */
const app = await makeApp(MODULES, FUNCTIONS);

Deno.test("bundleApp() makes a layer only if a function runs on Deno", async () => {
  const onNode = Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, one]) => [name, { ...one, runtime: "nodejs24.x" }]),
  );
  await using app = await makeApp(MODULES, onNode);
  const steps: string[] = [];
  const progress = (step: string) => steps.push(step);
  await bundle(app.manifest, `${app.folder}/out`, { hasCache: true, progress });
  assertEquals(await entries(`${app.folder}/out`), ["one.zip", "two.zip"]);
  const starting = "Starting the functions for Node.js";
  assertEquals(steps, ["Bundling one, two", starting, "Writing the zips"]);
});

Deno.test("bundleApp() warns once of each variable whose resource is not in uses", async () => {
  const code = "export const handler = () => [process.env.TABLE_NOTES, process.env.QUEUE_JOBS];";
  const resources = { tables: { notes: { key: { id: "string" } } }, queues: { jobs: {} } };
  const uses = { queues: { jobs: "send" } };
  await using app = await makeApp(
    { "one.ts": code },
    { one: { module: "one.ts", uses }, two: { module: "one.ts", runtime: "nodejs24.x", uses } },
    resources,
  );
  const warnings: string[] = [];
  await bundle(app.manifest, `${app.folder}/out`, { warn: (text) => warnings.push(text) });
  assertEquals(warnings, [
    'TABLE_NOTES is undefined: add "notes" to "uses.tables" of "one"',
    'TABLE_NOTES is undefined: add "notes" to "uses.tables" of "two"',
  ]);
});

Deno.test("bundleFunctions() keeps the names of classes when it minifies", async () => {
  await using app = await makeApp(MODULES, FUNCTIONS);
  const application = await app.read();
  const sizes: number[] = [];
  for (const isMinified of [false, true]) {
    const { functions } = await bundleFunctions(app.manifest, application, {
      bundles: isMinified ? minified : bundles,
    });
    const { data } = functions.get("one")!.find(({ path }) => path === "index.mjs")!;
    const module = `data:text/javascript;base64,${data.toBase64()}`;
    assertEquals((await import(module)).handler(), "Answer");
    sizes.push(data.length);
  }
  assertEquals(sizes[1]! < sizes[0]!, true);
});

Deno.test("bundleApp() names every problem, and writes nothing", async () => {
  const modules = {
    "folder.ts": `import "./two"; export const handler = 1;`,
    "two/index.ts": "",
    "script.ts": `import "./lib/three.js"; export const handler = 1;`,
    "lib/three.ts": "",
    "import.ts": `import "./gone.ts"; export const handler = 1;`,
    "end.ts": "export const handler = (",
    "name.ts": "export const handlers = 1;",
    "empty.ts": "",
    "package.ts": 'import "left-pad";',
  };
  const names = ["none", "neither", ...Object.keys(modules).map((file) => file.slice(0, -3))];
  const functions = Object.fromEntries(
    names.filter((name) => /^[a-z]+$/.test(name)).map((name) => [name, { module: `${name}.ts` }]),
  );
  await using app = await makeApp(modules, { ...functions, other: { module: "package.ts" } });
  const { message } = await assertRejects(() => bundle(app.manifest, `${app.folder}/out`), Error);
  for (
    const problem of [
      /^Cannot bundle the function "none": the module "none.ts" is not a file in "\//m,
      /^Cannot bundle the function "neither": the module "neither.ts" is not a file in "\//m,
      /^Cannot bundle the function "import": Module not found ".*\/gone\.ts"\n {4}at import\.ts:1:8$/m,
      /"folder": .*\/two": import "\.\/two\/index\.ts", or set "moduleResolution": "bundler" in tsconfig\.json\n/,
      /"script": .*\/three\.js": import "\.\/lib\/three\.ts", or set /,
      /"end": Unexpected end of file\n {4}at end\.ts:1:25$/m,
      /"name": the module "name.ts" does not export "handler": it exports handlers; export it, or name another one in "handler"$/m,
      /"empty": .* does not export "handler": it exports nothing; export it, /,
      /^Cannot bundle the functions "package", "other": Import "left-pad" .*: add it to deno.json/m,
    ]
  ) assertMatch(message, problem);
  assertEquals(message.match(/^Cannot/gm)?.length, 9, message);
  assertEquals(/Stack backtrace|bundling failed/.test(message), false, message);
  await assertRejects(() => entries(`${app.folder}/out`), Deno.errors.NotFound);
  await using empty = await makeApp({}, {});
  const invalid = await assertRejects(() => bundle(empty.manifest, `${empty.folder}/out`), Error);
  assertMatch(invalid.message, /^Cannot use the manifest ".*app\.json"/);
});

Deno.test("bundleApp() refuses names that AWS refuses, before it bundles", async () => {
  const name = "f".repeat(40);
  await using app = await makeApp({}, { [name]: { module: "none.ts" } }, {
    name: "a".repeat(40),
  });
  const error = await assertRejects(() => bundle(app.manifest, `${app.folder}/dist`), TypeError);
  assertMatch(error.message, new RegExp(`: "functions.${name}" is 27 characters too long: `));
});

Deno.test("bundleApp() replaces no file if a zip cannot be written", async () => {
  const out = `${app.folder}/written`;
  await Deno.mkdir(`${out}/two.zip`, { recursive: true });
  await Deno.writeTextFile(`${out}/one.zip`, "as it was");
  const error = await assertRejects(
    () => bundle(app.manifest, out, { architectures: ["arm64"] }),
    Error,
  );
  assertMatch(error.message, /^Cannot write ".*\/written\/two\.zip": it is a folder$/);
  assertEquals(await entries(out), ["one.zip", "two.zip"]);
  assertEquals(await Deno.readTextFile(`${out}/one.zip`), "as it was");
});

Deno.test("bundleApp() fails in order if Deno cannot be read while other work goes on", async () => {
  const api = `export const api = { "GET /one": { responses: { 204: "Done" } } };`;
  const routes = [{ method: "GET", path: "/one" }];
  const functions = { one: { module: "one.ts", triggers: { routes } } };
  await using app = await makeApp({ ...MODULES, "api.ts": api }, functions, { api: "api.ts" });
  const { package_ } = await makeDenoPackage();
  const other = { ...package_, name: "@deno/other", integrity: "sha512-no" }; // It is not in the cache.
  const packages = { x86_64: other, arm64: package_ };
  const error = await assertRejects(
    () => bundle(app.manifest, `${app.folder}/out`, { architectures: ["x86_64"], packages }),
    Error,
  );
  assertMatch(
    error.message,
    /: it is not the file that was expected, but .* with another checksum; /,
  );
});

Deno.test("bundleApp() names the folder that cannot be made", async () => {
  const out = `${app.folder}/file`;
  await Deno.writeTextFile(out, "a file instead of the folder");
  const error = await assertRejects(() => bundle(app.manifest, out), Error);
  assertMatch(error.message, /^Cannot write to the folder ".*\/file": File exists/);
  assertEquals(await Deno.readTextFile(out), "a file instead of the folder");
});
