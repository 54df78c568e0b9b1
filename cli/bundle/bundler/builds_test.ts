import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createTar } from "nanotar";
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { importAll, makeApp, serve } from "../../testdata/bundle.ts";
import { bundleModule } from "../modules/module_bundle.ts";
import { Bundler } from "./bundler.ts";
import { findEsbuild } from "./find_esbuild.ts";
import { startBundles } from "./testdata/start_bundles.ts";

Deno.test("a CommonJS module has __dirname and __filename, which a module of its own may declare", async () => {
  await using app = await makeApp({
    "one.ts": `import common from "./lib/common.cjs"; import { dirname } from "node:path";
      import { fileURLToPath } from "node:url";
      const __filename = fileURLToPath(import.meta.url); const __dirname = dirname(__filename);
      console.log(JSON.stringify([common, [__dirname, __filename]]));`,
    "lib/common.cjs": "module.exports = [__dirname, __filename];",
  }, {});
  const { files, results } = await startBundles(await Deno.realPath(app.folder), ["one.ts"]);
  const expected = files.map((file) => {
    const place = [dirname(file), file];
    return [JSON.stringify([place, place]), ""] as const;
  });
  assertEquals(results, expected);
});

Deno.test("a bundle imports CommonJS as Deno does", async () => {
  await using app = await makeApp({
    "one.ts":
      `import whole, { named } from "./compiled.cjs"; console.log(JSON.stringify([whole, named]));`,
    "compiled.cjs":
      `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = 1; exports.named = 2;`,
  }, {});
  const [unbundled] = await importAll([`${app.folder}/one.ts`]);
  const { results } = await startBundles(app.folder, ["one.ts"]);
  assertEquals(results, [unbundled, unbundled]);
});

Deno.test("a problem of a package is an error that names the package and the position", async () => {
  const cases: Readonly<Record<string, readonly [Readonly<Record<string, string>>, RegExp]>> = {
    native: [
      { "index.js": `module.exports = require("./build/addon.node");`, "build/addon.node": "" },
      /^Cannot bundle the native add-on ".*addon\.node" of the package "@a\/native": .*\n {4}at node_modules\/@a\/native\/index\.js:1:26$/,
    ],
    gone: [
      { "index.js": "\n  require('./gone')" },
      /^Could not resolve "\.\/gone"\n {4}at node_modules\/@a\/gone\/index\.js:2:11$/,
    ],
    ...Object.fromEntries(["txt", "toml", "css"].map((end) => [end, [
      { "index.js": `require('./a.${end}')`, [`a.${end}`]: end === "css" ? "a {}" : "a" },
      new RegExp(
        `^Cannot bundle ".*a\\.${end}": import it with .*\n {4}at node_modules/@a/${end}/index\\.js:1:9$`,
      ),
    ]])),
  };
  const files = Object.entries(cases).flatMap(([name, [files]]) => [
    [`${name}.ts`, `import it from "@a/${name}"; export const handler = () => it;`],
    [`node_modules/@a/${name}/package.json`, `{ "name": "@a/${name}", "version": "1.0.0" }`],
    ...Object.entries(files).map(([file, text]) => [`node_modules/@a/${name}/${file}`, text]),
  ]);
  const dependencies = Object.fromEntries(
    Object.keys(cases).map((name) => [`@a/${name}`, "1.0.0"]),
  );
  await using app = await makeApp({
    "package.json": JSON.stringify({ dependencies }),
    ...Object.fromEntries(files),
  }, {});
  await using bundler = await Bundler.open({ folder: app.folder });
  for (const [name, [, message]] of Object.entries(cases)) {
    const error = await assertRejects(() => bundler.bundle(`${app.folder}/${name}.ts`), Error);
    assertMatch(error.message, message);
  }
});

Deno.test("the tsconfig.json of a package in Deno's cache does not count", async () => {
  const files = {
    "package.json": `{ "name": "@a/inner", "version": "1.0.0", "main": "lib/index.js" }`,
    "tsconfig.json": "{ is no JSON",
    "lib/index.js": `export * from "./one.js";`,
    "lib/one.js": `export const one = "found";`,
  };
  const tarball = gzipSync(
    createTar(Object.entries(files).map(([name, data]) => ({ name: `package/${name}`, data }))),
  );
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  await using registry = serve(({ url }) => {
    if (url.endsWith(".tgz")) return new Response(new Uint8Array(tarball));
    const dist = { tarball: `${url}/1.0.0.tgz`, integrity };
    const versions = { "1.0.0": { name: "@a/inner", version: "1.0.0", dist } };
    return Response.json({ name: "@a/inner", "dist-tags": { latest: "1.0.0" }, versions });
  });
  await using app = await makeApp({
    "deno.json": "{}",
    ".npmrc": `@a:registry=${registry.url}`,
    "one.ts": `import { one } from "npm:@a/inner@1.0.0"; console.log(one);`,
  }, {});
  const { code } = await bundleModule(`${app.folder}/one.ts`);
  assertMatch(code, /"found"/);
  const { npmCache } = await findEsbuild(undefined);
  await Deno.remove(`${npmCache}/${new URL(registry.url).port}`, { recursive: true });
});
