import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { makeApp, makeDenoPackage, serve } from "../testdata/bundle.ts";
import { bundleApp, type BundleOptions } from "./app.ts";
import { bundleFunctions } from "./functions.ts";

const FUNCTIONS = { one: { module: "one.ts" }, two: { module: "two.ts", handler: "main" } };
const MODULES = {
  "one.ts": `import { answer } from "./answer.ts"; export const handler = () => answer;`,
  "answer.ts": "export class Answer {} export const answer = new Answer().constructor.name;",
  "two.ts": "export default 1; export function main() {}",
};

const CACHE = `${temporaryFolder()}/cache`;

/** Bundles without code caches, with a Deno that is a text. */
async function bundle(
  manifest: string,
  out: string,
  { cache = CACHE, ...options }: Partial<BundleOptions> & { cache?: string } = {},
) {
  const { tarball, package_ } = await makeDenoPackage();
  await using server = serve(() => new Response(tarball));
  return await bundleApp(manifest, {
    out,
    architectures: ["x86_64", "arm64"],
    hasCache: false,
    packages: { x86_64: package_, arm64: package_ },
    source: { registry: server.url, cache },
    warn() {},
    ...options,
  });
}

const entries = (folder: string) =>
  Array.fromAsync(Deno.readDir(folder), ({ name }) => name).then((names) => names.sort());

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

Deno.test("bundleApp() makes a layer per architecture and a zip per function, the same bytes each time", async () => {
  await using app = await makeApp(MODULES, FUNCTIONS);
  const [first, second] = [`${app.folder}/first`, `${app.folder}/second`];
  const archives = await bundle(app.manifest, first, { cache: `${temporaryFolder()}/cache` });
  await bundle(app.manifest, second, { cache: `${temporaryFolder()}/cache` });
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
  await using app = await makeApp({ ...MODULES, "out/one.zip": "as it was" }, FUNCTIONS);
  const out = `${app.folder}/out`;
  await Deno.mkdir(`${out}/two.zip`);
  const error = await assertRejects(
    () => bundle(app.manifest, out, { architectures: ["arm64"] }),
    Error,
  );
  assertMatch(error.message, /^Cannot write ".*\/out\/two\.zip": it is a folder$/);
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
  await using app = await makeApp({ ...MODULES, "out": "a file instead of the folder" }, FUNCTIONS);
  const out = `${app.folder}/out`;
  const error = await assertRejects(() => bundle(app.manifest, out), Error);
  assertMatch(error.message, /^Cannot write to the folder ".*\/out": File exists/);
  assertEquals(await Deno.readTextFile(out), "a file instead of the folder");
});
