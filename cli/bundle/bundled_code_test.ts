import { assertEquals } from "@std/assert";
import { readBundledCode, shippedMap } from "./bundled_code.ts";

Deno.test("readBundledCode() finds the exports", () => {
  for (
    const [text, names] of [
      ["export {\n  a,\n  b as handler\n};\n", ["a", "handler"]],
      ["var x=1;export{x as handler,y as default};", ["handler", "default"]],
      ["export{x as handler};\n//# sourceMappingURL=x.map\n", ["handler"]],
      ["export{x as handler};\n/*! @license MIT\nexport { other };\n*/\n//! a\n", ["handler"]],
      ["export{x as handler};\n// @license export { other };\n", ["handler"]],
      ['const text = "export { a };"; export { b };', ["b"]],
      ["const text = `\nexport { a };\n`;\n", []],
      ["export default require_one();\n/*! @license MIT */", undefined],
      ["var x = 1;\n", []],
      ["export {};\n", []],
    ] as const
  ) {
    assertEquals(readBundledCode(text), { code: text, exports: names && [...names], removals: [] });
  }
});

Deno.test("readBundledCode() removes the paths of modules, and nothing else", () => {
  const { code, removals } = readBundledCode(`// ../../home/me/one.cjs
var require_one = __commonJS({
  "../../home/me/one.cjs"(exports) {
    // of the bundler's own
    exports.path = { "home/me/one.cjs"() {} };
  }
});

// home/me/three.ts
var value;
var init_three = __esm({
  async "home/me/three.ts"() {
    await value;
  }
});

// home/me/two.ts
var text = \`
// home/me/two.ts
\${1 /* a */ / 2}
// home/me/two.ts\`;
export {
  text
};
// @license of some library
`);
  assertEquals(
    code,
    `
var require_one = __commonJS({
  "one.cjs"(exports) {
    // of the bundler's own
    exports.path = { "home/me/one.cjs"() {} };
  }
});


var value;
var init_three = __esm({
  async "three.ts"() {
    await value;
  }
});


var text = \`
// home/me/two.ts
\${1 /* a */ / 2}
// home/me/two.ts\`;
export {
  text
};
// @license of some library
`,
  );
  assertEquals(removals, [
    { line: 2, column: 2, length: "../../home/me/".length },
    { line: 11, column: 8, length: "home/me/".length },
  ]);
});

Deno.test("shippedMap() names sources without the paths of this machine", () => {
  const name = (source: string, root = "/home/me/shop") => {
    const map = JSON.stringify({ version: 3, sources: [source], names: [], mappings: "AAAA" });
    return JSON.parse(shippedMap(map, "/tmp/out/index.js", root, [])).sources[0];
  };
  for (
    const [source, wanted] of [
      ["../../home/me/shop/lib/a.ts", "lib/a.ts"],
      ["../../home/me/shared/a.ts", "../shared/a.ts"],
      ["../../opt/private/a.ts", "a.ts"],
      [
        "../../home/me/.cache/deno/npm/registry.example/@a/b/1.2.3-x/dist/c.js",
        "npm:@a/b@1.2.3-x/dist/c.js",
      ],
      ["../../home/me/shop/node_modules/b/c.js", "node_modules/b/c.js"],
      ["https://jsr.io/@a/b/1.0.0/mod.ts", "https://jsr.io/@a/b/1.0.0/mod.ts"],
      ["file:///home/me/shop/a%20b.ts", "a b.ts"],
    ]
  ) {
    assertEquals(name(source!), wanted);
  }
});
