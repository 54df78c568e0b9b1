import { assertEquals, assertRejects } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { makeApp, makeDenoPackage } from "../testdata/bundle.ts";
import { bundle, entries, FUNCTIONS, MODULES } from "./testdata/bundle_app.ts";

Deno.test("bundleApp() replaces no file if a zip is too large", async () => {
  const large = new Uint8Array(51 * 1024 * 1024);
  for (let at = 0; at < large.length; at += 65_536) {
    crypto.getRandomValues(large.subarray(at, at + 65_536)); // cannot be compressed
  }
  await using app = await makeApp(
    { "one.ts": "export const handler = () => 1;", "out/one.zip": "as it was" },
    { one: { module: "one.ts" } },
  );
  const out = `${app.folder}/out`;
  const bundling = bundle(app.manifest, out, {
    architectures: ["arm64"],
    deno: await makeDenoPackage([["package/deno", large]]),
  });
  const problem = "the layer for arm64 has 51.0 MB zipped: expected at most 50.0 MB";
  await assertRejects(() => bundling, RangeError, problem);
  assertEquals(await entries(out), ["one.zip"]);
  assertEquals(await Deno.readTextFile(`${out}/one.zip`), "as it was");
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
