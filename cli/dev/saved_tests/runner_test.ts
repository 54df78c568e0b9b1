import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../../testdata/programs.ts";
import type { Runtime } from "../../manifest/types.ts";
import { findRunner } from "./runner.ts";

Deno.test("findRunner() takes the runner that the project has, and a name that this runner takes", async () => {
  const module = { type: "module" };
  const cases: [
    runtime: Runtime,
    code: string,
    packages: object,
    name: string,
    suffix: string,
  ][] = [
    ["deno", "f.ts", { devDependencies: { jest: "*" } }, "deno", "_test.ts"],
    ["nodejs24.x", "f.ts", { devDependencies: { vitest: "*", jest: "*" } }, "vitest", ".test.ts"],
    ["nodejs24.x", "f.js", { dependencies: { vitest: "*" } }, "vitest", ".test.mjs"],
    ["nodejs24.x", "f.ts", { ...module, devDependencies: { jest: "*" } }, "jest", ".test.js"],
    ["nodejs24.x", "f.ts", { devDependencies: { jest: "*" } }, "jest", ".test.mjs"],
    ["nodejs22.x", "f.ts", module, "node", ".test.mjs"],
  ];
  for (const [runtime, code, packages, name, suffix] of cases) {
    const folder = temporaryFolder();
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify(packages));
    const runner = await findRunner(folder, { runtime, code: { module: code } });
    assertEquals([runner.name, runner.suffix], [name, suffix], `${runtime} ${code}`);
  }
});
