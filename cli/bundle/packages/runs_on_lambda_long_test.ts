import { assertMatch, assertRejects } from "@std/assert";
import { makeApp } from "../../testdata/bundle.ts";
import { Bundles } from "../modules/bundles.ts";
import { bundleModule } from "../modules/module_bundle.ts";

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
