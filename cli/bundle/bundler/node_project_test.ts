import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { makeApp } from "../../testdata/bundle.ts";
import { bundleModule } from "../module_bundle.ts";
import { isNodeProject } from "./node_project.ts";

const FILES = {
  "package.json": '{ "type": "module" }',
  "node_modules/only-here/package.json":
    '{ "name": "only-here", "version": "1.0.0", "type": "module", "exports": "./mod.js" }',
  "node_modules/only-here/mod.js": 'export const text = "from above";',
  "functions/one.js": 'import { text } from "only-here"; export const handler = () => text;',
};

Deno.test("isNodeProject() is decided by the nearest configuration", async () => {
  for (
    const [files, expected] of [
      [{ "package.json": "{}" }, true],
      [{ "package.json": "{}", "deno.json": "{}" }, false],
      [{ "package.json": "{}", "functions/deno.jsonc": "{}" }, false],
      [{ "deno.json": "{}", "functions/package.json": "{}" }, true],
    ] as const
  ) {
    await using app = await makeApp({ ...files, "functions/one.js": "" }, {});
    assertEquals(await isNodeProject(`${app.folder}/functions`), expected, JSON.stringify(files));
  }
});

Deno.test("a function below a project of Node.js imports the packages of the project", async () => {
  await using app = await makeApp(FILES, {});
  const { code } = await bundleModule(`${app.folder}/functions/one.js`, {
    folder: `${app.folder}/functions`,
  });
  assertStringIncludes(code, "from above");
});

Deno.test("a project of Node.js names the JavaScript that TypeScript makes, as nodenext wants it", async () => {
  const one = `import { a } from "./lib/store.js"; import type { T } from "./types.js";
    import b from "./index.mjs"; export { c } from "./both.js";
    export const handler = (): T => [a, b];`;
  const modules = {
    "one.ts": one,
    "lib/store.ts": `export { a } from "./more.js";`,
    "lib/more.tsx": `export const a: string = "a typed a";`,
    "index.mts": `export default "a typed b" as string;`,
    "both.js": `export const c = "a plain c";`,
    "both.ts": `export const c = "never";`,
    "types.ts": "export type T = string[];",
  };
  const config = `{ "compilerOptions": { "module": "nodenext" } }`;
  await using app = await makeApp({
    ...modules,
    "package.json": '{ "type": "module" }',
    "tsconfig.json": config,
  }, {});
  const { code } = await bundleModule(`${app.folder}/one.ts`);
  const found = code.match(/a (typed|plain) \w/g)?.sort();
  assertEquals(found, ["a plain c", "a typed a", "a typed b"]);
  // Deno itself does not do so, and names the remedy.
  await using other = await makeApp({ ...modules, "deno.json": "{}" }, {});
  await assertRejects(
    () => bundleModule(`${other.folder}/one.ts`),
    Error,
    `import "./lib/store.ts"`,
  );
});
