import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { importAll, makeApp } from "../../testdata/bundle.ts";
import { Bundler } from "../bundler/bundler.ts";
import { Bundles } from "../modules/bundles.ts";
import { bundleModule } from "../modules/module_bundle.ts";

/** Bundles `one.ts` for both runtimes, and runs each bundle with Deno. Returns what they print. */
async function runBundles(files: Readonly<Record<string, string>>): Promise<string[]> {
  await using app = await makeApp(files, {});
  await using bundler = await Bundler.open({ folder: app.folder });
  const bundles: string[] = [];
  for (const target of ["deno", "nodejs24.x"] as const) {
    const { code } = await bundler.bundle(`${app.folder}/one.ts`, { target });
    bundles.push(`${app.folder}/index-${target}.mjs`);
    await Deno.writeTextFile(bundles.at(-1)!, code);
  }
  return (await importAll(bundles)).map(([output, error]) => output || error);
}

/** A package like the core of NestJS, or like knex, in which a driver is not listed. */
const FRAMEWORK = {
  "package.json": `{ "dependencies": { "framework": "1.0.0" } }`,
  "node_modules/framework/package.json": JSON.stringify({
    name: "framework",
    version: "1.0.0",
    peerDependenciesMeta: { "@framework/sockets": { optional: true } },
    optionalDependencies: { fast: "1" },
  }),
};

const PRINT = `import * as framework from "framework";
  for (const [name, load] of Object.entries(framework.default)) {
    try { load(); } catch ({ code, message }) { console.log(name, code, message.split("\\n")[0]); }
  }`;

Deno.test("a package that another one names as optional, or requires in a function, throws when it is reached", async () => {
  const outputs = await runBundles({
    ...FRAMEWORK,
    "one.ts": PRINT,
    "node_modules/framework/index.js": `const load = (name, loader) => loader();
      exports.sockets = () => load("sockets", () => require("@framework/sockets/module"));
      exports.driver = function () { return require("oracledb"); };
      exports.fast = () => require("./fast");`,
    "node_modules/framework/fast.js": `module.exports = require("fast");`,
  });
  const expected = ["sockets @framework/sockets/module", "driver oracledb", "fast fast"].map(
    (line) => {
      const [key, name] = line.split(" ");
      return `${key} MODULE_NOT_FOUND Cannot find package "${name}": it is not installed`;
    },
  );
  for (const output of outputs) assertEquals(output.split("\n"), expected);
});

Deno.test("a package that is missing, and that another one needs when it starts, is an error", async () => {
  const cases = {
    first: [`exports.a = require("needed");`, "needed"],
    called: [`(() => { exports.a = require("needed"); })();`, "needed"],
    own: [`exports.a = () => require("./gone");`, "./gone"],
  };
  const modules = Object.entries(cases).flatMap(([name, [code]]) => [
    [`${name}.ts`, `import * as it from "framework/${name}.js"; console.log(it);`],
    [`node_modules/framework/${name}.js`, code!],
  ]);
  await using app = await makeApp({
    ...FRAMEWORK,
    ...Object.fromEntries(modules),
    "one.cjs": `exports.handler = () => require("needed");`,
  }, {});
  await using bundler = await Bundler.open({ folder: app.folder });
  for (const [file, [, name]] of Object.entries(cases)) {
    const bundling = bundler.bundle(`${app.folder}/${file}.ts`);
    await assertRejects(() => bundling, Error, `Could not resolve "${name}"`);
  }
  // The application itself lists what it needs.
  await assertRejects(() => bundler.bundle(`${app.folder}/one.cjs`), Error, "needed");
});

Deno.test('"imports" of a package.json finds TypeScript by the name of its JavaScript', async () => {
  const outputs = await runBundles({
    "package.json": `{ "type": "module", "imports": { "#lib/*": "./lib/*.js" } }`,
    "one.ts": `import { a } from "#lib/a"; console.log(a);`,
    "lib/a.ts": `import { b } from "./b.js"; export const a: string = "typed " + b;`,
    "lib/b.ts": `export const b = "b";`,
  });
  assertEquals(outputs, ["typed b", "typed b"]);
});

Deno.test("the remedies for an import of JavaScript that is TypeScript work", async () => {
  const lib = { "lib/a.ts": `export const a = "found";` };
  const relative = { "deno.json": "{}", "one.ts": `export { a } from "./lib/a.js";`, ...lib };
  const mapped = {
    "deno.json": `{ "imports": { "#a": "./lib/a.js" } }`,
    "one.ts": `export { a } from "#a";`,
    ...lib,
  };
  for (
    const [files, remedies, changes] of [
      [
        relative,
        [/: import "\.\/lib\/a\.ts", or set/, /"moduleResolution": "bundler" in tsconfig\.json/],
        [
          { "one.ts": `export { a } from "./lib/a.ts";` },
          {
            "one.ts": relative["one.ts"],
            "tsconfig.json": `{ "compilerOptions": { "moduleResolution": "bundler" } }`,
          },
        ],
      ],
      [mapped, [/: name ".*\/lib\/a\.ts" in "imports" of deno\.json/], [
        { "deno.json": `{ "imports": { "#a": "./lib/a.ts" } }` },
      ]],
    ] as const
  ) {
    await using app = await makeApp(files, {});
    await using bundles = new Bundles({ folder: app.folder });
    const bundle = () => bundleModule(`${app.folder}/one.ts`, { bundles });
    const { message } = await assertRejects(bundle, Error);
    for (const remedy of remedies) assertMatch(message, remedy);
    for (const change of changes) {
      for (const [name, text] of Object.entries(change)) {
        await Deno.writeTextFile(`${app.folder}/${name}`, text);
      }
      assertMatch((await bundle()).code, /"found"/);
    }
  }
});

Deno.test("the SDK that a project of Node.js does not list has a command as its remedy, and version 2 a warning", async () => {
  await using app = await makeApp({
    "package.json": `{ "dependencies": { "aws-sdk": "2.0.0" } }`,
    "one.ts": `export { S3Client } from "@aws-sdk/client-s3/client";`,
    "two.ts": `import AWS from "aws-sdk"; export const handler = () => AWS;`,
    "node_modules/aws-sdk/package.json": `{ "name": "aws-sdk", "version": "2.0.0" }`,
    "node_modules/aws-sdk/index.js": "exports.config = {};",
  }, {});
  await using bundler = await Bundler.open({ folder: app.folder });
  await assertRejects(
    () => bundler.bundle(`${app.folder}/one.ts`),
    Error,
    'run "npm install @aws-sdk/client-s3"',
  );
  for (const target of ["deno", "nodejs24.x"] as const) {
    const { warnings } = await bundler.bundle(`${app.folder}/two.ts`, { target });
    assertEquals(warnings?.length, 1);
    assertMatch(warnings![0]!, /AWS\.config\.update\(\{ endpoint, s3ForcePathStyle: true \}\)/);
  }
});
