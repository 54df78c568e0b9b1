import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { makeApp, makeDenoPackage, serve } from "../testdata/bundle.ts";
import { bundleApp, type BundleOptions } from "./app.ts";
import { bundleFunctions } from "./functions.ts";

const FUNCTIONS = { one: { module: "one.ts" }, two: { module: "two.ts", handler: "main" } };
const MODULES = {
  "one.ts": `import { answer } from "./answer.ts"; export const handler = () => answer;`,
  "answer.ts": "export class Answer {} export const answer = new Answer().constructor.name;",
  "two.ts": "export default 1; export function main() {}",
};

/** Bundles without caches, with a Deno of the given content. */
async function bundle(
  manifest: string,
  out: string,
  { deno = "deno", ...options }: Partial<BundleOptions> & { deno?: string | Uint8Array } = {},
) {
  const { tarball, package_ } = await makeDenoPackage([["package/deno", deno]]);
  await using server = serve(() => new Response(tarball));
  return await bundleApp(manifest, {
    out,
    architectures: ["x86_64", "arm64"],
    hasCache: false,
    packages: { x86_64: package_, arm64: package_ },
    source: { registry: server.url, cache: `${out}-cache` },
    warn() {},
    ...options,
  });
}

const entries = (folder: string) =>
  Array.fromAsync(Deno.readDir(folder), ({ name }) => name).then((names) => names.sort());

Deno.test("bundleApp() makes a layer only if a function runs on Deno", async () => {
  const onNode = Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, one]) => [name, { ...one, runtime: "nodejs22.x" }]),
  );
  await using app = await makeApp(MODULES, onNode);
  const steps: string[] = [];
  const progress = (step: string) => steps.push(step);
  await bundle(app.manifest, `${app.folder}/out`, { hasCache: true, progress });
  assertEquals(await entries(`${app.folder}/out`), ["one.zip", "two.zip"]);
  const starting = "Starting the functions for Node.js";
  assertEquals(steps, ["Bundling one, two", starting, "Writing the zips"]);
});

Deno.test("bundleApp() makes a layer per architecture and a zip per function, the same bytes each time", async () => {
  await using app = await makeApp(MODULES, FUNCTIONS);
  const [first, second] = [`${app.folder}/first`, `${app.folder}/second`];
  const archives = await bundle(app.manifest, first);
  await bundle(app.manifest, second);
  const names = ["layer-arm64.zip", "layer-x86_64.zip", "one.zip", "two.zip"];
  assertEquals(await entries(first), names);
  assertEquals(archives.map(({ path }) => path).sort(), names.map((name) => `${first}/${name}`));
  for (const name of names) {
    const bytes = await Deno.readFile(`${first}/${name}`);
    assertEquals(await Deno.readFile(`${second}/${name}`), bytes, name);
    assertEquals(archives.find(({ path }) => path.endsWith(`/${name}`))?.zipped, bytes.length);
  }
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
    const { functions } = await bundleFunctions(app.manifest, application, { isMinified });
    const { data } = functions.get("one")!.find(({ path }) => path === "index.mjs")!;
    const module = `data:text/javascript;base64,${data.toBase64()}`;
    assertEquals((await import(module)).handler(), "Answer");
    sizes.push(data.length);
  }
  assertEquals(sizes[1]! < sizes[0]!, true);
});

Deno.test("bundleApp() checks the description of the API against the routes of the manifest", async () => {
  const describe = (key: string) =>
    `export const api = { ${JSON.stringify(key)}: { responses: { 204: "Done" } } };`;
  const routes = [{ method: "GET", path: "/" }, { method: "PUT", path: "/more" }];
  const functions = { one: { module: "one.ts", triggers: { routes } } };
  const settings = { api: "api.ts" };
  await using app = await makeApp({ ...MODULES, "api.ts": describe("GET /") }, functions, settings);
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  await bundle(app.manifest, `${app.folder}/out`, { architectures: ["x86_64"], warn });
  const warning = 'The route "PUT /more" of the manifest has no description in "api.ts"';
  assertEquals(warnings, [warning]);
  await Deno.writeTextFile(`${app.folder}/api.ts`, describe("GET /none"));
  const { message } = await assertRejects(() => bundle(app.manifest, `${app.folder}/none`), Error);
  const problem = 'no route of the manifest serves "GET /none": add the route to a function';
  assertEquals(message, `Cannot describe the API of "api.ts": ${problem}`);
  await assertRejects(() => entries(`${app.folder}/none`), Deno.errors.NotFound);
});

Deno.test("bundleApp() names every problem, and writes nothing", async () => {
  const one = (code: string) => ({ "one.ts": code });
  const ONE = { one: { module: "one.ts" } };
  for (
    const [modules, functions, message] of [
      [{}, ONE, /^Cannot bundle the function "one": the module "one.ts" is not a file in "/],
      [{}, { a: { module: "a.ts" }, b: { module: "b.ts" } }, /^Cannot .*"a".*\nCannot .*"b".*$/],
      [
        one(`import "./gone.ts"; export const handler = 1;`),
        ONE,
        /^Cannot bundle the function "one": Module not found ".*\/gone\.ts"\n {4}at one\.ts:1:8$/,
      ],
      [
        { "one.ts": `import "./two"; export const handler = 1;`, "two/index.ts": "" },
        ONE,
        /\/two": import "\.\/two\/index\.ts", or set "moduleResolution": "bundler" in tsconfig\.json\n/,
      ],
      [
        { "one.ts": `import "./two.js"; export const handler = 1;`, "two.ts": "" },
        ONE,
        /\/two\.js": import "\.\/two\.ts", or set /,
      ],
      [one("export const handler = ("), ONE, /: Unexpected end of file\n {4}at one\.ts:1:25$/],
      [
        one("export const handlers = 1;"),
        ONE,
        /: the module "one.ts" does not export "handler": it exports handlers; export it, or name another one in "handler"$/,
      ],
      [one(""), ONE, /does not export "handler": it exports nothing; export it, /],
      [
        one('import "left-pad";'),
        { ...ONE, two: { module: "one.ts" } },
        /^Cannot bundle the functions "one", "two": Import "left-pad" .*: add it to deno.json/,
      ],
      [{}, {}, /^Cannot use the manifest ".*app\.json"/],
    ] as const
  ) {
    await using app = await makeApp(modules, functions);
    const error = await assertRejects(() => bundle(app.manifest, `${app.folder}/out`), Error);
    assertMatch(error.message, message);
    assertEquals(/Stack backtrace|bundling failed/.test(error.message), false, error.message);
    const left = (await entries(app.folder)).filter((name) => name.startsWith("out"));
    assertEquals(left, ["out-cache"].filter((name) => left.includes(name)), error.message);
  }
});

Deno.test("bundleApp() refuses names that AWS refuses, before it bundles", async () => {
  const name = "f".repeat(40);
  await using app = await makeApp({}, { [name]: { module: "none.ts" } }, {
    name: "a".repeat(40),
  });
  const error = await assertRejects(() => bundle(app.manifest, `${app.folder}/dist`), TypeError);
  assertMatch(error.message, new RegExp(`: "functions.${name}" is 27 characters too long: `));
});

Deno.test("bundleApp() replaces no file if a zip is too large or cannot be written", async () => {
  const large = new Uint8Array(51 * 1024 * 1024);
  for (let at = 0; at < large.length; at += 65_536) {
    crypto.getRandomValues(large.subarray(at, at + 65_536)); // cannot be compressed
  }
  for (
    const [prepare, deno, message] of [
      [undefined, large, /the layer for arm64 has 51\.0 MB zipped: expected at most 50\.0 MB$/],
      ["two.zip", "deno", /^Cannot write ".*\/out\/two\.zip": it is a folder$/],
    ] as const
  ) {
    await using app = await makeApp({ ...MODULES, "out/one.zip": "as it was" }, FUNCTIONS);
    const out = `${app.folder}/out`;
    if (prepare) await Deno.mkdir(`${out}/${prepare}`);
    const before = await entries(out);
    const error = await assertRejects(
      () => bundle(app.manifest, out, { deno, architectures: ["arm64"] }),
      Error,
    );
    assertMatch(error.message, message);
    assertEquals(await entries(out), before);
    assertEquals(await Deno.readTextFile(`${out}/one.zip`), "as it was");
  }
});

Deno.test("bundleApp() fails in order if Deno cannot be read while other work goes on", async () => {
  const api = `export const api = { "GET /one": { responses: { 204: "Done" } } };`;
  const routes = [{ method: "GET", path: "/one" }];
  const functions = { one: { module: "one.ts", triggers: { routes } } };
  await using app = await makeApp({ ...MODULES, "api.ts": api }, functions, { api: "api.ts" });
  const { package_ } = await makeDenoPackage();
  const packages = { x86_64: { ...package_, integrity: "sha512-no" }, arm64: package_ };
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
  await using app = await makeApp({ ...MODULES, "out": "a file instead of the folder" }, FUNCTIONS);
  const out = `${app.folder}/out`;
  const error = await assertRejects(() => bundle(app.manifest, out), Error);
  assertMatch(error.message, /^Cannot write to the folder ".*\/out": File exists/);
  assertEquals(await Deno.readTextFile(out), "a file instead of the folder");
});
