import { assertEquals } from "@std/assert";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { makeApp } from "../testdata/bundle.ts";
import { hasNamespace, withApp } from "../testdata/sandbox.ts";
import { bundleModule } from "./module_bundle.ts";
import { shippedMap } from "./bundled_code.ts";

const MODULES = {
  "app/one.ts": `import { fail } from "./lib/fail.ts";
import { common } from "./lib/common.cjs";
import { shared } from "../shared/shared.ts";
import "js-tokens";
interface Event { kind: string }
export const handler = ({ kind }: Event) =>
  kind === "fail" ? fail() : kind === "common" ? common() : shared();`,
  "app/lib/fail.ts":
    `// The function fails.\nexport function fail(): never {\n  throw new Error("MARK1");\n}`,
  // Deno formats CommonJS before the map is made, so the position of code in other formats is only close.
  "app/lib/common.cjs": `const { join } = require("node:path");
exports.common = ()=>{
  throw new Error(join("MARK2", ""));
};
`,
  "shared/shared.ts": `export const shared = (): never => { throw new Error("MARK3"); };`,
  "app/deno.json": `{ "imports": { "js-tokens": "npm:js-tokens@10.0.0" } }`,
};

Deno.test("bundleModule() maps every position of the code to the author's file, also minified", async () => {
  await using app = await makeApp(MODULES, {});
  for (const isMinified of [false, true]) {
    const cwd = `${app.folder}/app`;
    const { code, map } = await bundleModule(`${cwd}/one.ts`, { cwd, isMinified });
    const trace = new TraceMap(map);
    const lines = code.split("\n");
    const originalOf = (mark: string) => {
      const index = lines.findIndex((line) => line.includes(mark));
      const column = lines[index]!.lastIndexOf("new Error(", lines[index]!.indexOf(mark));
      const { source, line } = originalPositionFor(trace, { line: index + 1, column });
      return `${source}:${line}`;
    };
    assertEquals(
      ["MARK1", "MARK2", "MARK3"].map(originalOf),
      ["lib/fail.ts:3", "lib/common.cjs:3", "../shared/shared.ts:1"],
      `minified: ${isMinified}`,
    );
    const { sources, ...rest } = JSON.parse(map);
    assertEquals(
      Object.keys(rest),
      ["version", "names", "mappings"],
      "the sources' text is left out",
    );
    assertEquals(sources.includes("npm:js-tokens@10.0.0/index.js"), true, sources.join());
    assertEquals(map.includes(app.folder), false);
  }
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

Deno.test({
  name: "a function's error names the author's file and line",
  ignore: !hasNamespace,
  async fn() {
    const module = `// A comment that the bundler drops.
interface Event { readonly a: number }
export const handler = ({ a }: Event): number => {
  if (a === 1) throw new RangeError("one");
  return a;
};`;
    await withApp(module, async ({ invoke }) => {
      const { json } = await invoke({ a: 1 });
      const { stackTrace } = json as { stackTrace: string[] };
      assertEquals(/\bone\.ts:4:\d+\)?$/.test(stackTrace[0]!), true, stackTrace[0]);
    });
  },
});
