import { assertEquals, assertStringIncludes } from "@std/assert";
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
