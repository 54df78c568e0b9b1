import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { makeApp } from "./_testing.ts";
import { bundleModule, exportsOf } from "./module_bundle.ts";

for (const isMinified of [false, true]) {
  Deno.test(`bundleModule() ${isMinified ? "minifies" : "bundles"} CommonJS that requires Node's own modules`, async () => {
    await using app = await makeApp({
      "one.ts": `import { join } from "./join.cjs"; export const handler = () => join("a", "b");`,
      "join.cjs":
        `const path = require("node:path"); exports.join = (...parts) => path.posix.join(...parts);`,
    }, {});
    const file = `${app.folder}/bundle.mjs`;
    await Deno.writeTextFile(file, await bundleModule(`${app.folder}/one.ts`, { isMinified }));
    assertEquals((await import(`file://${file}`)).handler(), "a/b");
  });
}

Deno.test("bundleModule() names the module that does not exist", async () => {
  const error = await assertRejects(() => bundleModule("/nowhere/one.ts"), Error);
  assertMatch(error.message, /^Cannot bundle "\/nowhere\/one\.ts": /);
});

for (
  const [code, names] of [
    ["export {\n  a,\n  b as handler\n};\n", ["a", "handler"]],
    ["var x=1;export{x as handler,y as default};", ["handler", "default"]],
    ["export{x as handler};\n//# sourceMappingURL=x.map\n", ["handler"]],
    ['const text = "export { a };"; export { b };', ["b"]],
    ["var x = 1;\n", []],
    ["export {};\n", []],
  ] as const
) {
  Deno.test(`exportsOf() finds the names in ${JSON.stringify(code)}`, () => {
    assertEquals(exportsOf(code), [...names]);
  });
}
