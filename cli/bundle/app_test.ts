import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { makeApp, makeDenoPackage } from "../testdata/bundle.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { functionFiles } from "./function_files.ts";
import { bundleApp, type BundleOptions } from "./app.ts";

const FUNCTIONS = { one: { module: "one.ts" }, two: { module: "two.ts", handler: "main" } };
const MODULES = {
  "one.ts": `import { answer } from "./answer.ts"; export const handler = () => answer;`,
  "answer.ts": "export class Answer {} export const answer = new Answer().constructor.name;",
  "two.ts": "export default 1; export function main() {}",
};

/** Bundles with a Deno of a few bytes, or so many. */
async function bundle(manifest: string, out: string, options: Partial<BundleOptions> = {}) {
  const { tarball, package_ } = await makeDenoPackage();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(tarball),
  );
  return await bundleApp(manifest, {
    out,
    architectures: ["x86_64", "arm64"],
    hasCache: false,
    packages: { x86_64: package_, arm64: package_ },
    source: { registry: `http://127.0.0.1:${server.addr.port}`, cache: `${out}-cache` },
    warn() {},
    ...options,
  });
}

const entries = (folder: string) =>
  Array.fromAsync(Deno.readDir(folder), ({ name }) => name).then((names) => names.sort());

Deno.test("bundleApp() makes a layer an architecture and a zip a function, the same bytes each time", async () => {
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

Deno.test("functionFiles() minifies when told to, and classes keep their names", async () => {
  await using app = await makeApp(MODULES, FUNCTIONS);
  const sizes: number[] = [];
  for (const isMinified of [false, true]) {
    const settings = parseManifest(await Deno.readTextFile(app.manifest), "").functions.one!;
    const files = await functionFiles(app.manifest, "one", settings, { isMinified });
    const [index] = files.filter(({ path }) => path === "index.js");
    const module = `data:text/javascript;base64,${index!.data.toBase64()}`;
    assertEquals((await import(module)).handler(), "Answer");
    sizes.push(index!.data.length);
  }
  assertEquals(sizes[1]! < sizes[0]!, true);
});

for (
  const [problem, modules, functions, message] of [
    ["a missing module", {}, { one: { module: "gone.ts" } }, /"one": its module "gone.ts" is no/],
    [
      "a module that imports a missing one",
      { "one.ts": `import "./gone.ts"; export const handler = 1;` },
      { one: { module: "one.ts" } },
      /^Cannot bundle the function "one": Module not found "file:.*gone\.ts"/,
    ],
    [
      "a module with a syntax error",
      { "one.ts": "export const handler = (" },
      { one: { module: "one.ts" } },
      /SyntaxError/,
    ],
    [
      "a module without the handler",
      { "one.ts": "export const handlers = 1;" },
      { one: { module: "one.ts" } },
      /its module "one.ts" has no export "handler"$/,
    ],
    [
      "a host that is none",
      { "one.ts": "export const handler = 1;" },
      { one: { module: "one.ts", permissions: { net: ["https://example.com/"] } } },
      /"https:\/\/example\.com\/" is no host, such as "api\.example\.com:443"$/,
    ],
    [
      "a function with the name of the layer's zip",
      { "one.ts": "export const handler = 1;" },
      { "layer-arm64": { module: "one.ts" } },
      /"functions\.layer-arm64" has the name of the layer's zip$/,
    ],
    ["a manifest without functions", {}, {}, /Cannot use the manifest ".*app\.json"/],
  ] as const
) {
  Deno.test(`bundleApp() refuses ${problem}, and writes nothing`, async () => {
    await using app = await makeApp(modules, functions);
    const error = await assertRejects(() => bundle(app.manifest, `${app.folder}/out`), Error);
    assertMatch(error.message, message);
    assertEquals(/Stack backtrace|bundling failed/.test(error.message), false);
    assertEquals((await entries(app.folder)).filter((name) => name.startsWith("out")), []);
  });
}

Deno.test("bundleApp() tells of every function that cannot be bundled", async () => {
  await using app = await makeApp({}, { one: { module: "a.ts" }, two: { module: "b.ts" } });
  const error = await assertRejects(() => bundle(app.manifest, `${app.folder}/out`), Error);
  assertMatch(error.message, /"one"[^]*\n[^]*"two"|"two"[^]*\n[^]*"one"/);
});

Deno.test("bundleApp() refuses a layer over the platform's limit, and leaves what was there", async () => {
  await using app = await makeApp(MODULES, FUNCTIONS);
  const out = `${app.folder}/out`;
  await Deno.mkdir(out);
  await Deno.writeTextFile(`${out}/one.zip`, "as it was");
  const large = new Uint8Array(51 * 1024 * 1024);
  for (let at = 0; at < large.length; at += 65_536) {
    crypto.getRandomValues(large.subarray(at, at + 65_536)); // cannot be compressed
  }
  const { tarball, package_ } = await makeDenoPackage([["package/deno", large]]);
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(tarball),
  );
  const error = await assertRejects(() =>
    bundle(app.manifest, out, {
      architectures: ["arm64"],
      packages: { x86_64: package_, arm64: package_ },
      source: {
        registry: `http://127.0.0.1:${server.addr.port}`,
        cache: `${app.folder}/cache`,
      },
    }), RangeError);
  assertMatch(error.message, /the layer for arm64 has 51\.0 MB zipped, of 50\.0 MB at most$/);
  assertEquals(await entries(out), ["one.zip"]);
  assertEquals(await Deno.readTextFile(`${out}/one.zip`), "as it was");
});

Deno.test("bundleApp() replaces nothing where something cannot be written, and names it", async () => {
  await using app = await makeApp({ ...MODULES, "out/layer-arm64.zip": "as it was" }, FUNCTIONS);
  const out = `${app.folder}/out`;
  await Deno.mkdir(`${out}/two.zip`);
  const error = await assertRejects(() => bundle(app.manifest, out), Error);
  assertEquals(error.message, `Cannot write "${out}/two.zip": it is a folder`);
  assertEquals(await entries(out), ["layer-arm64.zip", "two.zip"]);
  assertEquals(await Deno.readTextFile(`${out}/layer-arm64.zip`), "as it was");
});

Deno.test("bundleApp() names the folder that cannot be made", async () => {
  await using app = await makeApp({ ...MODULES, "out": "a file in the folder's place" }, FUNCTIONS);
  const out = `${app.folder}/out`;
  const error = await assertRejects(() => bundle(app.manifest, out), Error);
  assertMatch(error.message, /^Cannot write to the folder ".*\/out": File exists/);
  assertEquals(await Deno.readTextFile(out), "a file in the folder's place");
});
