import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { run, temporaryFolder } from "../../../testdata/programs.ts";
import { makeApp } from "../../testdata/bundle.ts";
import { bundleModule } from "../modules/module_bundle.ts";
import { refusal } from "../packages/access.ts";
import { filesToRefuse } from "./filters.ts";

Deno.test("filesToRefuse() matches each file that refusal() refuses, and no file of the application or a package", () => {
  const name = fc.constantFrom("a", "ab", "b.c", "node_modules", "[x]", "é😀", "^$", ".env", "-");
  const path = (minLength: number) =>
    fc.array(name, { minLength, maxLength: 4 }).map((names) =>
      names.map((one) => `/${one}`).join("")
    );
  fc.assert(
    fc.property(
      fc.array(path(1), { maxLength: 3 }),
      path(1),
      path(1),
      (application, npmCache, file) => {
        const folders = { application, npmCache };
        const isMatch = filesToRefuse(folders).test(file);
        if (!isMatch) assertEquals(refusal(file, undefined, folders), undefined);
      },
    ),
    { numRuns: 500 },
  );
  const folders = { application: ["/home/me/shop"], npmCache: "/home/me/.cache/deno/npm" };
  for (
    const [file, isMatch] of [
      ["/home/me/shop/one.ts", false],
      ["/home/me/shop/node_modules/a/index.js", false],
      ["/home/me/node_modules/a/index.js", false],
      ["/home/me/.cache/deno/npm/a/index.js", false],
      ["/home/me/shop/env.ts", false],
      ["/home/me/shop/.ENV.local", true],
      ["/home/me/shopping/one.ts", true],
      ["/home/me/.cache/deno/x", true],
      ["/dev/zero", true],
    ] as const
  ) {
    assertEquals(filesToRefuse(folders).test(file), isMatch, file);
  }
});

Deno.test("a bundle imports the files that Deno imports", async () => {
  const files = {
    "one.ts": `
      import plain from "./plain.ts";
      import mapped from "./mapped.ts";
      import encoded from "./a%20b.ts";
      import query from "./plain.ts?again";
      import below from "./folder/below.ts";
      import linked from "./link.ts";
      import dotted from "./x/../plain.ts";
      import text from "./text.txt" with { type: "text" };
      import json from "./data.json" with { type: "json" };
      const lazy = await import("./folder/lazy.ts");
      console.log(plain, mapped, encoded, query, below, linked, dotted, text, json, lazy.default);`,
    "plain.ts": `export default "plain";`,
    "plain.ts.ts": `export default "wrong";`,
    "mapped.ts": `export default "wrong";`,
    "a b.ts": `export default "encoded";`,
    "a%20b.ts": `export default "wrong";`,
    "folder/below.ts": `export { default } from "./mapped.ts";`,
    "folder/mapped.ts": `export default "below";`,
    "folder/lazy.ts": `export { default } from "../mapped.ts";`,
    "elsewhere/target.ts": `export { default } from "./beside.ts";`,
    "elsewhere/beside.ts": `export default "beside the target";`,
    "beside.ts": `export default "beside the link";`,
    "text.txt": "text",
    "data.json": "[1]",
    "deno.json": `{ "imports": { "./mapped.ts": "./plain.ts" } }`,
  };
  await using app = await makeApp(files, {});
  await Deno.symlink(`${app.folder}/elsewhere/target.ts`, `${app.folder}/link.ts`);
  const { code } = await bundleModule(`${app.folder}/one.ts`);
  const bundle = `${temporaryFolder()}/index.js`;
  await Deno.writeTextFile(bundle, code);
  const [expected, actual] = await Promise.all(
    [`${app.folder}/one.ts`, bundle].map((file) =>
      run(Deno.execPath(), ["run", "-A", "--quiet", file])
    ),
  );
  assertEquals(expected!.stderr, "");
  assertEquals(actual!.stdout, expected!.stdout);
});
