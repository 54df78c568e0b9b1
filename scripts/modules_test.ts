/** Checks that every place which names the modules of the library one by one has all of them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { packageMetadata } from "./packages/metadata.ts";

const ROOT = new URL("../", import.meta.url);

/** The names of the modules, such as `queue`. */
const MODULES = Object.entries(config.exports)
  .filter(([name, path]) => name !== "." && path.endsWith("/mod.ts"))
  .map(([name]) => name.slice("./".length));

/** The modules whose events are not those of one service. */
const GENERAL = ["function", "gateway"];

const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));
const onOneLine = (text: string) => text.replaceAll(/\s+/g, " ");
/** Reads a file, with one space in place of each run of white space. A file that is missing reads as an empty one. */
const textOf = async (path: string) => onOneLine(await read(path).catch(() => ""));

/** A place, whether it has a module, and what to write there. */
type Check = readonly [place: string, isThere: boolean, line: string];

/** Looks for a text in a file. The line is the text, unless given. */
async function has(place: string, text: string, line = text): Promise<Check> {
  const [file] = place.split(", ");
  return [place, (await textOf(file!)).includes(text), line];
}

/** The places that name every module. */
async function placesOf(name: string): Promise<Check[]> {
  const tasks = (["doc:lint", "test:library", "cover"] as const).map((task): Check => {
    const word = task === "doc:lint" ? `${name}/mod.ts` : name;
    const isThere = config.tasks[task].command.split(" ").includes(word);
    return [`deno.json, task "${task}"`, isThere, word];
  });
  const isApart = (await textOf("mod_test.ts")).includes(`"${name}"`);
  const checks = [
    ...tasks,
    await has(
      "README.md, list of modules",
      ` - \`@mate/core/${name}\``,
      `- \`@mate/core/${name}\`: …`,
    ),
    await has("docs/README.md", `(${name}.md)`),
    await has(`docs/${name}.md, an import`, ` from "@mate/core/${name}";`),
    await has("scripts/packages/testdata/types.ts, an import", ` from "@mate/core/${name}";`),
    await has("CHANGELOG.md", `\`${name}\``),
  ];
  const rooms = new RegExp(` - [^:]*\`${name}/\`[^:]*: `).test(await textOf("ARCHITECTURE.md"));
  checks.push(["ARCHITECTURE.md, list of rooms", rooms, `- \`${name}/\`: …`]);
  if (!isApart) checks.push(await has("mod.ts", `export * from "./${name}/mod.ts";`));
  // These two never belong to the bundle of a function.
  if (["testing", "runtime"].includes(name)) return checks;
  const row =
    `["${name}", "NAMES", 0]; then "deno task test scripts/size_long_test.ts" says the size`;
  return [...checks, await has("benchmarks/sizes.ts", `["${name}", "`, row)];
}

/** The places that name every module for the events of one service. */
async function servicePlacesOf(name: string, exported: readonly string[]): Promise<Check[]> {
  const text = await read(`${name}/mod.ts`);
  const [, given] = /^\/\*\*[^.:]*?Amazon ((?:[A-Z]\w+)(?: [A-Z]\w+)*)/.exec(text) ?? [];
  const service = given ?? "SERVICE";
  const [family] = service.split(" ");
  const [, maker = `${name}Event`] = /(\w+Event)\b[^;]* from "@mate\/core\/testing"/.exec(text) ??
    [];
  const file = `${maker.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.ts`;
  const handlers = exported.filter((one) => /^[a-z]\w*Handler$/.test(one));
  const typed = [`${maker}(`, ...handlers.map((handler) => `${handler}(() => {}`)];
  const partOf = async (page: string, part: RegExp) =>
    onOneLine([...(await read(page)).matchAll(part)].join(" "));
  const introduction = await partOf("README.md", /^[^]*?\n## /g);
  const unavailable = await partOf("docs/migration.md", /Not available here:[^]*?\n\n/g);
  const triggers = await partOf("docs/moving.md", /\*\*Triggers:[^]*?\n-/g);
  const isTrigger = (await textOf("cli/manifest/schema.json")).includes(`Amazon ${family}`);
  return [
    [`${name}/mod.ts, the first sentence`, given !== undefined, `Amazon ${service}`],
    await has(`${name}/mod.ts, the example`, `${maker}(`, `an event of ${maker}()`),
    await has(`testing/${file}`, `export function ${maker}`),
    await has("testing/mod.ts", `export * from "./${file}";`),
    await has("testing/event_keys_test.ts", `${maker}(`, `a case with ${maker}()`),
    await has("testing/schemas_test.ts", `Schema, ${maker}(`, `check(…Schema, ${maker}(…));`),
    ...await Promise.all(
      typed.map((call) =>
        has("testing/schemas_test.ts", `${call}) satisfies aws.`, `${call}) satisfies aws.…;`)
      ),
    ),
    await has("docs/testing.md", `${maker}(`, `${maker}();`),
    await has("docs/README.md", `[Amazon ${service}](${name}.md)`),
    ["README.md, the first paragraph", introduction.includes(service), service],
    [
      'docs/migration.md, "Not available here"',
      unavailable !== "" && !unavailable.includes(family!),
      `this part without ${family}`,
    ],
    [
      'docs/moving.md, "Triggers"',
      triggers !== "" && triggers.includes(`Amazon ${family}`) !== isTrigger,
      isTrigger ? `this part without Amazon ${family}` : `Amazon ${family}`,
    ],
  ];
}

Deno.test("every place that names the modules one by one has all of them", async () => {
  const checks: Check[] = [];
  let services = 0;
  for (const name of MODULES) {
    checks.push(...await placesOf(name));
    try {
      const exported = Object.keys(await import(new URL(`${name}/mod.ts`, ROOT).href));
      if (GENERAL.includes(name) || !exported.some((one) => /^Fn\w+Event$/.test(one))) continue;
      checks.push(...await servicePlacesOf(name, exported));
      services++;
    } catch (error) {
      checks.push([`${name}/mod.ts`, false, `a module that can be imported: ${error}`]);
    }
  }
  assert(services > 4);
  const missing = checks.filter(([, isThere]) => !isThere);
  assertEquals(missing.map(([place, , line]) => `${place}: ${line}`), [], "Write this");
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
