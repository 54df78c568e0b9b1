import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { importAll, makeApp } from "../../testdata/bundle.ts";
import { Bundles } from "../modules/bundles.ts";
import { bundleModule, type ModuleBundleOptions } from "../modules/module_bundle.ts";

/** Modules of a package that need what is missing, and what they need. */
const NEEDING: Readonly<Record<string, readonly [code: string, name: string]>> = {
  first: [`exports.a = require("needed");`, "needed"],
  called: [`(() => { exports.a = require("needed"); })();`, "needed"],
  own: [`exports.a = () => require("./gone");`, "./gone"],
};

/** The project of all tests here, because the start of its bundler takes longer than a bundle. */
const app = await makeApp({
  "package.json": JSON.stringify({
    type: "module",
    imports: { "#lib/*": "./lib/*.js" },
    dependencies: { "framework": "1.0.0", "aws-sdk": "2.0.0" },
  }),
  // A package like the core of NestJS, or like knex, in which a driver is not listed.
  "node_modules/framework/package.json": JSON.stringify({
    name: "framework",
    version: "1.0.0",
    peerDependenciesMeta: { "@framework/sockets": { optional: true } },
    optionalDependencies: { fast: "1" },
  }),
  "node_modules/framework/index.js": `const load = (name, loader) => loader();
    exports.sockets = () => load("sockets", () => require("@framework/sockets/module"));
    exports.driver = function () { return require("oracledb"); };
    exports.fast = () => require("./fast");`,
  "node_modules/framework/fast.js": `module.exports = require("fast");`,
  "optional.ts": `import * as framework from "framework";
    for (const [name, load] of Object.entries(framework.default)) {
      try { load(); } catch ({ code, message }) { console.log(name, code, message.split("\\n")[0]); }
    }`,
  ...Object.fromEntries(
    Object.entries(NEEDING).flatMap(([name, [code]]) => [
      [`${name}.ts`, `import * as it from "framework/${name}.js"; console.log(it);`],
      [`node_modules/framework/${name}.js`, code],
    ]),
  ),
  "needing.cjs": `exports.handler = () => require("needed");`,
  "imports.ts": `import { a } from "#lib/a"; console.log(a);`,
  "lib/a.ts": `import { b } from "./b.js"; export const a: string = "typed " + b;`,
  "lib/b.ts": `export const b = "b";`,
  "sdk.ts": `export { S3Client } from "@aws-sdk/client-s3/client";`,
  "old_sdk.ts": `import AWS from "aws-sdk"; export const handler = () => AWS;`,
  "node_modules/aws-sdk/package.json": `{ "name": "aws-sdk", "version": "2.0.0" }`,
  "node_modules/aws-sdk/index.js": "exports.config = {};",
}, {});
const bundles = new Bundles({ folder: app.folder, quiet: 0 });

const bundle = (name: string, options: ModuleBundleOptions = {}) =>
  bundleModule(`${app.folder}/${name}`, { bundles, ...options });

/** Bundles a module for both runtimes, and runs each bundle with Deno. Returns what they print. */
async function runBundles(name: string): Promise<string[]> {
  const files: string[] = [];
  for (const target of ["deno", "nodejs24.x"] as const) {
    const { code } = await bundle(name, { target });
    files.push(`${app.folder}/${name}-${target}.mjs`);
    await Deno.writeTextFile(files.at(-1)!, code);
  }
  return (await importAll(files)).map(([output, error]) => output || error);
}

Deno.test("a package that another one names as optional, or requires in a function, throws when it is reached", async () => {
  const expected = ["sockets @framework/sockets/module", "driver oracledb", "fast fast"].map(
    (line) => {
      const [key, name] = line.split(" ");
      return `${key} MODULE_NOT_FOUND Cannot find package "${name}": it is not installed`;
    },
  );
  for (const output of await runBundles("optional.ts")) assertEquals(output.split("\n"), expected);
});

Deno.test("a package that is missing, and that another one needs when it starts, is an error", async () => {
  for (const [module, [, name]] of Object.entries(NEEDING)) {
    const bundling = bundle(`${module}.ts`);
    await assertRejects(() => bundling, Error, `: Could not resolve "${name}"`);
  }
  // The application itself lists what it needs.
  await assertRejects(() => bundle("needing.cjs"), Error, '"needed"');
});

Deno.test('"imports" of a package.json finds TypeScript by the name of its JavaScript', async () => {
  assertEquals(await runBundles("imports.ts"), ["typed b", "typed b"]);
});

Deno.test("the SDK that a project of Node.js does not list has a command as its remedy, and version 2 a warning", async () => {
  await assertRejects(() => bundle("sdk.ts"), Error, 'run "npm install @aws-sdk/client-s3"');
  for (const target of ["deno", "nodejs24.x"] as const) {
    const { warnings } = await bundle("old_sdk.ts", { target });
    assertEquals(warnings?.length, 1);
    assertMatch(warnings![0]!, /AWS\.config\.update\(\{ endpoint, s3ForcePathStyle: true \}\)/);
  }
});
