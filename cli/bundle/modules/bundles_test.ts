import { assertEquals, assertMatch } from "@std/assert";
import { Kept } from "../../programs/kept.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { makeApp } from "../../testdata/bundle.ts";
import type { ModuleBundle } from "../packages/types.ts";
import { Bundles } from "./bundles.ts";
import { find, MODULES, pause, run, textOf } from "./testdata/kept_runs.ts";

Deno.test("a file that changes while it is bundled is not kept", async () => {
  await using app = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const cache = temporaryFolder();
  await pause();
  {
    await using bundles = new Bundles({ folder, kept: new Kept(() => {}, cache) });
    let isOver = false;
    const taking = bundles.take([`${folder}/two.ts`]).finally(() => isOver = true);
    for (let round = 0; !isOver; round++) {
      await Deno.writeTextFile(`${folder}/lib/a.ts`, `export const a = ${round % 10};`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await taking;
  }
  assertEquals(await find(folder, cache, "two.ts"), undefined);
});

Deno.test("a minified bundle, and that of another application or version, are other bundles, and a damaged one is made again", async () => {
  await using app = await makeApp(MODULES, {});
  await using other = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const cache = temporaryFolder();
  const first = (await run(folder, cache, "two.ts")).bundle as ModuleBundle;
  assertEquals(await find(folder, cache, "two.ts"), first);
  assertEquals(await find(folder, cache, "two.ts", { isMinified: true }), undefined);
  assertEquals(await find(folder, cache, "two.ts", { tool: "the next version" }), undefined);
  assertEquals(await find(await Deno.realPath(other.folder), cache, "two.ts"), undefined);
  for await (const { name } of Deno.readDir(`${cache}/kept`)) {
    await Deno.writeTextFile(`${cache}/kept/${name}`, "damaged");
  }
  const { bundle, warnings } = await run(folder, cache, "two.ts");
  assertEquals([bundle, warnings.length], [first, 1]);
  assertEquals(await find(folder, cache, "two.ts"), first);
});

Deno.test("Bundles.begin() bundles a module, and starts the bundler at once if no module was ever bundled", async () => {
  await using app = await makeApp(MODULES, {});
  const folder = await Deno.realPath(app.folder);
  const kept = new Kept(() => {}, temporaryFolder());
  const modules = ["two.ts", "one.ts"]
    .map((name) => ({ path: `${folder}/${name}`, target: "deno" as const, packages: [] }));
  for (const isFirst of [true, false]) {
    await pause();
    await using bundles = new Bundles({ folder, kept });
    await bundles.begin(modules, modules[0]);
    const [bundle] = await bundles.take([modules[0]!.path]);
    assertMatch(textOf(bundle), /first/);
    assertEquals(await isBundling(folder), isFirst);
  }
});

Deno.test("a configuration that cannot be read is the problem of each module, and the bundler goes on", async () => {
  await using app = await makeApp({ "deno.json": "{ broken", "one.ts": "export default 1;" }, {});
  const folder = await Deno.realPath(app.folder);
  await using bundles = new Bundles({ folder });
  for (const _ of [1, 2]) {
    const [problem] = await bundles.take([`${folder}/one.ts`]);
    assertMatch(textOf(problem), /^Failed deserializing config file/);
  }
});

/** Whether a process bundles a folder. */
async function isBundling(folder: string): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-o", "args"] }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .some((line) => line.includes("bundler/main.ts") && line.includes(folder));
}
