import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { succeed } from "../../../testdata/programs.ts";
import { bundles, makeApp, minified } from "../../testdata/bundle.ts";
import { CONFIG } from "../../testdata/command.ts";
import { Bundler } from "../bundler/bundler.ts";
import { bundleModule, bundleModules } from "./module_bundle.ts";

Deno.test("bundleModules() bundles CommonJS, finds the exports and keeps the licence of a library, also minified", async () => {
  await using app = await makeApp({
    "one.ts": `import { join } from "./join.cjs"; export const handler = () => join("a", "b");`,
    "join.cjs":
      `const path = require("node:path"); exports.join = (...parts) => path.posix.join(...parts);`,
    "licence.ts": `import "./lib.js"; export const handler = 1;`,
    "lib.js": "/*! @license MIT\nexport { other };\n*/\n//! export { more };\nconsole.log(1);",
    "common.cjs": "exports.handler = () => 1;",
    "default.ts": "const make = () => () => 1; export default make();",
  }, {});
  for (const isMinified of [false, true]) {
    const [one, licence, common, default_] = await bundleModules([
      `${app.folder}/one.ts`,
      `${app.folder}/licence.ts`,
      `${app.folder}/common.cjs`,
      `${app.folder}/default.ts`,
    ], { bundles: isMinified ? minified : bundles });
    const file = `${app.folder}/bundle-${isMinified}.mjs`;
    await Deno.writeTextFile(file, one!.code);
    assertEquals((await import(`file://${file}`)).handler(), "a/b", `minified: ${isMinified}`);
    assertEquals(licence!.exports, ["handler"], `minified: ${isMinified}`);
    assertMatch(licence!.code, /@license MIT/);
    assertEquals(common!.exports, undefined, "CommonJS");
    assertEquals(default_!.exports, ["default"]);
  }
});

Deno.test("bundleModule() names the module that does not exist", async () => {
  const error = await assertRejects(() => bundleModule("/nowhere/one.ts"), Error);
  assertMatch(error.message, /^Cannot bundle "\/nowhere\/one\.ts": /);
});

Deno.test("bundleModule() makes the same bytes in any working folder", async () => {
  await using app = await makeApp({
    "one.ts": `import answer from "./lib/answer.cjs"; export const handler = () => answer;`,
    "lib/answer.cjs": "module.exports = 42;",
  }, {});
  const { code } = await bundleModule(`${app.folder}/one.ts`);
  const program = `import { bundleModule, bundleModules } from "${new URL(
    "module_bundle.ts",
    import.meta.url,
  )}";
    await Deno.stdout.write(new TextEncoder().encode((await bundleModule("../one.ts")).code));`;
  const args = ["eval", "--no-lock", `--config=${CONFIG}`, program];
  assertEquals(await succeed(Deno.execPath(), args, { cwd: `${app.folder}/lib` }), code);
  assertEquals(code.includes(app.folder), false);
  const file = `${app.folder}/bundle.mjs`;
  await Deno.writeTextFile(file, code);
  assertEquals((await import(`file://${file}`)).handler(), 42);
});

Deno.test({
  name: "bundleModule() keeps the keys of a cloud and the signals of the terminal from the bundler",
  ignore: Deno.build.os === "windows", // the bundler of this test is a script
  async fn() {
    const script = "#!/bin/sh\nenv >&2\nkill -0 -$$ && echo leads its group >&2\nexit 1\n";
    await using app = await makeApp({ "deno": script }, {});
    await Deno.chmod(`${app.folder}/deno`, 0o755);
    const { execPath } = Deno;
    Deno.execPath = () => `${app.folder}/deno`;
    Deno.env.set("AWS_SECRET_ACCESS_KEY", "a secret");
    try {
      const bundling = Bundler.open({ folder: app.folder }).then((bundler) =>
        bundler.bundle("one.ts")
      );
      const { message } = await assertRejects(() => bundling, Error);
      assertMatch(message, /^PATH=/m);
      assertEquals(message.match(/AWS_|a secret/), null);
      assertMatch(message, /^leads its group$/m);
    } finally {
      Deno.execPath = execPath;
      Deno.env.delete("AWS_SECRET_ACCESS_KEY");
    }
  },
});

const MARKED = {
  "app/one.ts": `import { fail } from "./lib/fail.ts";
import { common } from "./lib/common.cjs";
import { shared } from "../shared/shared.ts";
import "js-tokens";
interface Event { kind: string }
export const handler = ({ kind }: Event) =>
  kind === "fail" ? fail() : kind === "common" ? common() : shared();`,
  "app/lib/fail.ts":
    `// The function fails.\nexport function fail(): never {\n  throw new Error("MARK1");\n}`,
  "app/lib/common.cjs": `const { join } = require("node:path");
exports.common = () => {
  throw new Error(join("MARK2", ""));
};
`,
  "shared/shared.ts": `export const shared = (): never => { throw new Error("MARK3"); };`,
  "deno.json": `{ "workspace": ["./app"] }`,
  "app/deno.json": `{ "imports": { "js-tokens": "npm:js-tokens@10.0.0" } }`,
};

Deno.test("a bundle maps every position of the code to the author's file, also minified", async () => {
  await using app = await makeApp(MARKED, {});
  await using bundler = await Bundler.open({ folder: `${app.folder}/app` });
  for (const isMinified of [false, true]) {
    const { code, map } = await bundler.bundle(`${app.folder}/app/one.ts`, { isMinified });
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
      ["version", "mappings", "names"],
      "the sources' text is left out",
    );
    assertEquals(sources.includes("npm:js-tokens@10.0.0/index.js"), true, sources.join());
    assertEquals(map.includes(app.folder), false);
  }
});
