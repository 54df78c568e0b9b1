/** Checks that every module of the library stands in every list that names the modules one by one. `tasks_test.ts` checks the tasks. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { packageMetadata } from "./packages/metadata.ts";

const ROOT = new URL("../", import.meta.url);

/** The names of the modules, such as `queue`. */
const MODULES = Object.entries(config.exports)
  .filter(([name, path]) => name !== "." && path.endsWith("/mod.ts"))
  .map(([name]) => name.slice("./".length));

const { tasks } = config;
const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));

/** What a place has for a module, and what to write there. */
type Place = (name: string) => Promise<readonly [has: boolean, line: string]>;

/** Each place that names every module. */
const PLACES: Readonly<Record<string, Place>> = {
  'deno.json, task "doc:lint"': (name) =>
    Promise.resolve([
      tasks["doc:lint"].command.split(" ").includes(`${name}/mod.ts`),
      `${name}/mod.ts`,
    ]),
  "README.md, list of modules": has("README.md", (name) => `\n- \`@mate/core/${name}\``),
  "ARCHITECTURE.md, list of rooms": async (name) => [
    new RegExp(`^- .*\`${name}/\`.*:`, "m").test(await read("ARCHITECTURE.md")),
    `- \`${name}/\`: …`,
  ],
  "docs/README.md, links to the pages": has("docs/README.md", (name) => `(${name}.md)`),
  "docs/NAME.md, the import": async (name) => [
    (await read(`docs/${name}.md`).catch(() => "")).includes(`@mate/core/${name}`),
    `a page docs/${name}.md that imports from "@mate/core/${name}"`,
  ],
  "scripts/packages/testdata/types.ts, an import": has(
    "scripts/packages/testdata/types.ts",
    (name) => ` from "@mate/core/${name}";`,
  ),
  "benchmarks/sizes.ts, a row": async (name) => [
    // These two never belong to the bundle of a function.
    ["testing", "runtime"].includes(name) ||
    (await read("benchmarks/sizes.ts")).includes(`\n  ["${name}", `),
    `["${name}", LIMIT],`,
  ],
  "CHANGELOG.md": has("CHANGELOG.md", (name) => `\`${name}\``),
};

function has(file: string, lineOf: (name: string) => string): Place {
  return async (name) => [(await read(file)).includes(lineOf(name)), lineOf(name).trim()];
}

/** The modules for the events of one service: the name of the service, and what makes its events in tests. */
async function serviceModules(): Promise<Map<string, { service: string; maker: string }>> {
  const found = new Map<string, { service: string; maker: string }>();
  for (const name of MODULES) {
    const text = await read(`${name}/mod.ts`);
    const [, service] = /^\/\*\*[^.:]*?Amazon ((?:[A-Z]\w+)(?: [A-Z]\w+)*)/.exec(text) ?? [];
    const [, maker] = /(\w+Event)\b[^;]* from "@mate\/core\/testing"/.exec(text) ?? [];
    const exportsEvent = (await read(`${name}/event.ts`).catch(() => "")).includes(" class Fn");
    if (exportsEvent && name !== "function") {
      const remedy = `name the service and use its function of testing/ in the example`;
      assert(service && maker, `${name}/mod.ts: ${remedy}`);
      found.set(name, { service, maker });
    }
  }
  return found;
}

/** The text before the first heading of the second level, on one line. */
const beginningOf = (text: string) => text.split("\n## ")[0]!.replaceAll(/\n ?\*? ?/g, " ");
const commentOf = (text: string) => text.split("@example")[0]!.replaceAll(/\n ?\*? ?/g, " ");

/** The lines that are missing in the places that name every service. */
async function missingOf(name: string, service: string, maker: string): Promise<string[]> {
  const checks: [place: string, isThere: boolean, line: string][] = [
    [
      "README.md, the first paragraph",
      beginningOf(await read("README.md")).includes(service),
      service,
    ],
    ["mod.ts, the comment", commentOf(await read("mod.ts")).includes(`\`${name}\``), `\`${name}\``],
    [
      "mod.ts",
      (await read("mod.ts")).includes(`"./${name}/mod.ts"`),
      `export * from "./${name}/mod.ts";`,
    ],
    [
      "testing/mod.ts, the comment",
      commentOf(await read("testing/mod.ts")).includes(service),
      `Amazon ${service}`,
    ],
    [
      "docs/README.md",
      (await read("docs/README.md")).includes(`Amazon ${service}`),
      `[Amazon ${service}](${name}.md)`,
    ],
    ["docs/testing.md", (await read("docs/testing.md")).includes(`${maker}(`), `${maker}()`],
  ];
  for (const file of ["schemas_test.ts", "event_keys_test.ts"]) {
    const text = await read(`testing/${file}`);
    checks.push([`testing/${file}`, text.includes(`${maker}(`), `a case with ${maker}()`]);
  }
  for (const page of ["docs/migration.md", "docs/moving.md"]) {
    const text = await read(page);
    const lacking = [
      ...text.matchAll(/(?:Not available here|\*\*Triggers):[^]*?(?:\n\n|\n-)/g),
    ].join(" ");
    assert(lacking, `${page} says no more what is not available`);
    const line = `remove "${service}" from what is not available`;
    checks.push([page, !lacking.replaceAll(/\s+/g, " ").includes(service), line]);
  }
  return checks.filter(([, isThere]) => !isThere).map(([place, , line]) => `${place}: ${line}`);
}

Deno.test("every place that names the modules one by one has all of them", async () => {
  const missing: string[] = [];
  for (const name of MODULES) {
    for (const [place, look] of Object.entries(PLACES)) {
      const [isThere, line] = await look(name);
      if (!isThere) missing.push(`${place.replace("NAME", name)}: ${line}`);
    }
  }
  assertEquals(missing, [], "Write these lines");
});

Deno.test("every place that names the services one by one has all of them", async () => {
  const services = await serviceModules();
  assert(services.size > 4);
  const missing: string[] = [];
  for (const [name, { service, maker }] of services) {
    missing.push(...await missingOf(name, service, maker));
  }
  assertEquals(missing, [], "Write these lines");
});

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
