/** Checks that every module of the library stands in every list that names the modules one by one. `tasks_test.ts` checks the tasks. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { packageMetadata } from "./packages/metadata.ts";

const ROOT = new URL("../", import.meta.url);

/** The names of the modules, such as `queue`. */
const MODULES = Object.entries(config.exports)
  .filter(([name, path]) => name !== "." && path.endsWith("/mod.ts"))
  .map(([name]) => name.slice("./".length));

const { tasks } = config;
const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));

/** What each list has for a module. */
const LISTS: Readonly<Record<string, (name: string) => boolean | Promise<boolean>>> = {
  "deno.json, task doc:lint": (name) =>
    tasks["doc:lint"].command.split(" ").includes(`${name}/mod.ts`),
  "README.md, list of modules": async (name) =>
    (await read("README.md")).includes(`\n- \`@mate/core/${name}\``),
  "ARCHITECTURE.md, list of rooms": async (name) =>
    new RegExp(`^- .*\`${name}/\`.*:`, "m").test(await read("ARCHITECTURE.md")),
  "docs/README.md, links to the pages": async (name) =>
    (await read("docs/README.md")).includes(`(${name}.md)`),
  "docs, a page": async (name) => (await read(`docs/${name}.md`)).includes(`@mate/core/${name}`),
  "scripts/packages/testdata/types.ts, an import": async (name) =>
    (await read("scripts/packages/testdata/types.ts")).includes(` from "@mate/core/${name}";`),
  "benchmarks/sizes.ts, a row": async (name) =>
    // These two never belong to the bundle of a function.
    ["testing", "runtime"].includes(name) ||
    (await read("benchmarks/sizes.ts")).includes(`\n  ["${name}", `),
  "CHANGELOG.md": async (name) => (await read("CHANGELOG.md")).includes(`\`${name}\``),
};

for (const [list, has] of Object.entries(LISTS)) {
  Deno.test(`${list}: every module is there`, async () => {
    const missing: string[] = [];
    for (const name of MODULES) if (!await has(name)) missing.push(name);
    assertEquals(missing, []);
  });
}

Deno.test("every list of runtimes names the versions of Node.js that the npm package takes", async () => {
  const { engines } = packageMetadata() as { engines: { node: string } };
  assertEquals(engines.node, "^20.16.0 || >=22.4.0"); // Node.js 22.3 has faults in streams of responses
  for (const [, version] of engines.node.matchAll(/(\d+\.\d+)\.0/g)) {
    assertStringIncludes(await read("README.md"), `from ${version} on`);
    assertStringIncludes(await read("docs/versions.md"), `| ${version} and later `);
    assertStringIncludes(
      await read("scripts/packages/library_consumers.ts"),
      `"node@${version}.0"`,
    );
  }
});
