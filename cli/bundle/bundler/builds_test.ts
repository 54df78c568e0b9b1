import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createTar } from "nanotar";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { run } from "../../../testdata/programs.ts";
import { makeApp, serve } from "../../testdata/bundle.ts";
import { bundleModule } from "../modules/module_bundle.ts";
import { findEsbuild } from "./find_esbuild.ts";

const DENO = { env: { NO_COLOR: "1" } };

/** Runs a module. Returns its output, and the message of its error. */
async function start(file: string): Promise<readonly [string, string | undefined]> {
  const { stdout, stderr } = await run(Deno.execPath(), ["run", "-A", "--quiet", file], DENO);
  return [stdout, /^error: (?:Uncaught )?(?:\(in promise\) )?(.*)$/m.exec(stderr)?.[1]];
}

Deno.test("a bundle with a circular import does what Deno does without a bundle", async () => {
  for (
    const [files, isFailing] of [
      [{
        "one.ts": `import { b } from "./b.ts"; export const a = "A" + b; console.log(a);`,
        "b.ts": `import { a } from "./one.ts"; export const b = "B" + a;`,
      }, true],
      [{
        "one.ts": `import { B } from "./b.ts"; export class A {} console.log(new B());`,
        "b.ts": `import { A } from "./one.ts"; export class B extends A {}`,
      }, true],
      [{
        "one.ts": `import b from "./b.ts"; export default { value: 1 }; console.log(b);`,
        "b.ts": `import one from "./one.ts"; export default one.value;`,
      }, true],
      [{
        "one.ts": `import "./b.ts"; export let count = 1, other = 2; console.log(count, other);`,
        "b.ts": `import { other } from "./one.ts"; console.log(typeof other);`,
      }, true],
      [{
        "one.ts":
          `import "./b.ts"; export const { x, y: [z] } = { x: 1, y: [2] }; console.log(x, z);`,
        "b.ts": `import * as one from "./one.ts"; console.log(one.z);`,
      }, true],
      [{
        "one.ts": `import { b } from "./lib/b.ts"; export const a = 1; console.log(b());`,
        "lib/b.ts": `import { c } from "./c.ts"; export const b = () => c + 1;`,
        "lib/c.ts": `import { a } from "../one.ts"; export const c = a;`,
      }, true],
      [{
        "one.ts": `import { b } from "./b.ts"; export const a = "A"; export enum E { X = "X" }
          export function f() { return a; } export var v = 1; export class C {} console.log(b());`,
        "b.ts": `import { a, C, E, f, v } from "./one.ts"; console.log(typeof f, v, typeof E);
          export const b = () => [a, f(), E.X, C.name, v].join();`,
      }, false],
    ] as const
  ) {
    await using app = await makeApp(files, {});
    const unbundled = await start(`${app.folder}/one.ts`);
    assertEquals(unbundled[1] !== undefined, isFailing);
    for (const isMinified of [false, true]) {
      const { code } = await bundleModule(`${app.folder}/one.ts`, { isMinified });
      await Deno.writeTextFile(`${app.folder}/index.js`, code);
      const [output, error] = await start(`${app.folder}/index.js`);
      // A bundler has to rename and move code, so the name of the variable may differ.
      const kind = (message?: string) => message?.replace(/'.*'/, "");
      assertEquals([output, kind(error)], [unbundled[0], kind(unbundled[1])], code);
    }
  }
});

Deno.test("a CommonJS module has __dirname and __filename, which a module of its own may declare", async () => {
  await using app = await makeApp({
    "one.ts": `import common from "./lib/common.cjs"; import { dirname } from "node:path";
      import { fileURLToPath } from "node:url";
      const __filename = fileURLToPath(import.meta.url); const __dirname = dirname(__filename);
      console.log(JSON.stringify([common, [__dirname, __filename]]));`,
    "lib/common.cjs": "module.exports = [__dirname, __filename];",
  }, {});
  for (const isMinified of [false, true]) {
    const { code } = await bundleModule(`${app.folder}/one.ts`, { isMinified });
    const file = `${await Deno.realPath(app.folder)}/index.js`;
    await Deno.writeTextFile(file, code);
    const [output, error] = await start(file);
    assertEquals(error, undefined);
    const place = [file.replace(/\/[^/]*$/, ""), file];
    assertEquals(JSON.parse(output), [place, place]);
  }
});

Deno.test("a bundle has the decorators that tsconfig.json chooses, if deno.json has no options", async () => {
  const legacy = `{ "compilerOptions": { "experimentalDecorators": true } }`;
  const standard = `{ "compilerOptions": {} }`;
  for (
    const [files, expected] of [
      [{}, "object"],
      [{ "tsconfig.json": legacy }, "string"],
      [{ "tsconfig.json": `{ "extends": "./base.json" }`, "base.json": legacy }, "string"],
      [{ "tsconfig.json": legacy, "deno.json": standard }, "object"],
      [{ "tsconfig.json": standard, "deno.json": legacy }, "string"],
    ] as const
  ) {
    await using app = await makeApp({
      "package.json": "{}",
      "one.ts": `import "./two.ts";`,
      "two.ts": `
        function show(_: unknown, second: unknown) { console.log(typeof second); }
        export class Two { @show run() {} }`,
      ...files,
    }, {});
    const { code } = await bundleModule(`${app.folder}/one.ts`);
    await Deno.writeTextFile(`${app.folder}/index.js`, code);
    assertEquals(
      (await start(`${app.folder}/index.js`))[0],
      `${expected}\n`,
      JSON.stringify(files),
    );
  }
});

Deno.test("a bundle imports CommonJS as Deno does", async () => {
  await using app = await makeApp({
    "one.ts":
      `import whole, { named } from "./compiled.cjs"; console.log(JSON.stringify([whole, named]));`,
    "compiled.cjs":
      `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = 1; exports.named = 2;`,
  }, {});
  const unbundled = await start(`${app.folder}/one.ts`);
  for (const isMinified of [false, true]) {
    const { code } = await bundleModule(`${app.folder}/one.ts`, { isMinified });
    await Deno.writeTextFile(`${app.folder}/index.js`, code);
    assertEquals(await start(`${app.folder}/index.js`), unbundled);
  }
});

Deno.test("a problem of a package is an error that names the package and the position", async () => {
  for (
    const [files, message] of [
      [
        { "index.js": `module.exports = require("./build/addon.node");`, "build/addon.node": "" },
        /: Cannot bundle the native add-on ".*addon\.node" of the package "@a\/fast": .*\n {4}at node_modules\/@a\/fast\/index\.js:1:26$/,
      ],
      [
        { "index.js": "\n  require('./gone')" },
        /: Could not resolve "\.\/gone"\n {4}at node_modules\/@a\/fast\/index\.js:2:11$/,
      ],
      [
        { "index.js": "require('./a.txt')", "a.txt": "a" },
        /: Cannot bundle ".*a\.txt": import it with .*\n {4}at node_modules\/@a\/fast\/index\.js:1:9$/,
      ],
      [
        { "index.js": "require('./a.toml')", "a.toml": "a" },
        /: Cannot bundle ".*a\.toml": import it with .*\n {4}at node_modules\/@a\/fast\/index\.js:1:9$/,
      ],
      [
        { "index.js": "require('./a.css')", "a.css": "a {}" },
        /: Cannot bundle ".*a\.css": import it with .*\n {4}at node_modules\/@a\/fast\/index\.js:1:9$/,
      ],
    ] as const
  ) {
    const entries = Object.entries(files);
    await using app = await makeApp({
      "package.json": `{ "dependencies": { "@a/fast": "1.0.0" } }`,
      "one.ts": `import fast from "@a/fast"; export const handler = () => fast;`,
      "node_modules/@a/fast/package.json": `{ "name": "@a/fast", "version": "1.0.0" }`,
      ...Object.fromEntries(entries.map(([name, text]) => [`node_modules/@a/fast/${name}`, text])),
    }, {});
    const error = await assertRejects(() => bundleModule(`${app.folder}/one.ts`), Error);
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
