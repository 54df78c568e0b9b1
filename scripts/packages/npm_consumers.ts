/**
 * Installs the npm package of the tool in Node.js projects, and uses it there. Nobody types `deno`, and no JSR is there.
 * `deno task test:npm:cli` runs this file after `deno task build:npm` and `deno task build:npm:cli`.
 *
 * @module
 */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import config from "../../cli/deno.json" with { type: "json" };
import { cloudEnvironment, missingTools } from "../../cli/deploy/testdata/cloud_tools.ts";
import { Emulator } from "../../cli/deploy/testdata/emulator.ts";
import { run, succeed, temporaryFolder } from "../../testdata/programs.ts";
import { OUTPUT, TOOL_OUTPUT } from "./metadata.ts";
import { Registry } from "./registry.ts";
import {
  type Consumer,
  greet,
  install,
  mate,
  NODE_PROJECT,
  ONLY_HERE,
  useShop,
  writeProject,
} from "./testdata/consumers.ts";

const VITEST = "vitest@3.2.4";
const JEST = "jest@30.5.2";
const TYPESCRIPT = "typescript@5.2.2";
const LINTER = "publint@0.3.25";

const SETUP = `let platform;
before(async () => platform = await startPlatform("app.json", { onLine: (line) => lines.push(line) }));
after(() => platform.stop());
const lines = [];
const read = async () => (await (await fetch(platform.url + "/v1/hello?name=Ada")).json()).greeting;
`;

const FILES = {
  ...NODE_PROJECT,
  "node.test.js": `import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startPlatform } from "@mate/cli/platform";
${SETUP}
test("the function answers", async () => {
  assert.equal(await read(), "from node_modules: Ada");
  await platform.settled();
  assert.ok(lines.some((line) => line.includes("REPORT RequestId")), lines.join("\\n"));
});
test("a wrong manifest is an error", async () => {
  await assert.rejects(startPlatform("lost.json"), /Cannot read the manifest "lost.json"/);
});
`,
  "fails.js": `import { startPlatform } from "@mate/cli/platform";
export async function fail() {
  const platform = await startPlatform();
  try {
    const { status } = await fetch(platform.url + "/v1/broken");
    if (status !== 200) throw new Error("Answered " + status);
  } finally {
    await platform.stop();
  }
}
`,
  "fails.node.js": `import { test } from "node:test";
import { fail } from "./fails.js";
test("fails", fail);
`,
  "fails.jest.js": `import { fail } from "./fails.js";
test("fails", fail, 60_000);
`,
  "fails.spec.js": `import { test } from "vitest";
import { fail } from "./fails.js";
test("fails", fail, 60_000);
`,
  "vitest.spec.js": `import { afterAll as after, beforeAll as before, expect, test } from "vitest";
import { startPlatform } from "@mate/cli/platform";
${SETUP}
test("the function answers", async () => expect(await read()).toBe("from node_modules: Ada"));
`,
  "types.ts": `import { type Platform, type Span, startPlatform } from "@mate/cli/platform";
export async function read(): Promise<number> {
  await using platform: Platform = await startPlatform("app.json", { onLine: console.log });
  return (await fetch(platform.url)).status;
}
// @ts-expect-error A port is a number.
startPlatform("app.json", { port: "8000" });
export async function ends(platform: Platform): Promise<(number | undefined)[]> {
  return (await platform.traces()).map((span: Span) => span.end);
}
`,
};

/** The runners of saved tests, for packages of each type. */
const SAVED = [
  ["node", "commonjs", "sum.ts"],
  ["vitest", "commonjs", "sum.ts"],
  ["jest", "commonjs", "sum.ts"],
  ["jest", "module", "sum.js"],
] as const;

/** Invokes a function without a trigger, and saves its invocation as a test. */
const SAVE = `import { startPlatform } from "@mate/cli/platform";
const platform = await startPlatform("app.json");
const send = async (path, body) =>
  await (await fetch(platform.controlUrl + path, { method: "POST", body })).json();
await send("/2015-03-31/functions/sum/invocations", '{"a":1,"b":2}');
const { id } = (await platform.traces()).find(({ type }) => type === "invocation");
console.log("command", (await send("/spans/" + id + "/test")).command);
await platform.stop();
`;

const temporary = await Deno.realPath(temporaryFolder());
const env = { NO_COLOR: "1", JSR_URL: "http://127.0.0.1:1/", DENO_DIR: `${temporary}/deno` };
const missing = await missingTools();
if (missing.length > 0) {
  console.error(`NOT RUN: mate deploy --plan. Missing:\n- ${missing.join("\n- ")}`);
}

Deno.test({
  name: "the npm package of the tool works in Node.js projects",
  timeout: 3_600_000, // It takes minutes, and more on a busy machine.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using emulator = missing.length > 0 ? undefined : await Emulator.start();
    if (emulator) Object.assign(env, await cloudEnvironment(temporary, emulator.url));
    await using registry = await Registry.open();
    const library = await registry.pack(OUTPUT, temporary);
    const tool = await registry.pack(TOOL_OUTPUT, temporary);
    const fromRegistry = await makeProject(
      registry.url,
      ...["@mate/cli", "@mate/core", VITEST, JEST, TYPESCRIPT, LINTER, "@types/node@20.19.25"],
    );
    const fromTarball = await makeProject("http://127.0.0.1:1/", library.tarball, tool.tarball);
    const { cwd } = fromRegistry;

    await t.step("mate --version is the version of the package", async () => {
      for (const project of [fromRegistry, fromTarball]) {
        assertEquals(await mate(project, "--version"), `${config.version}\n`);
        const help = await mate(project, "invoke", "--help");
        assertMatch(help, /node --input-type=module -e 'import .* "@mate\/core\/testing";/);
      }
    });
    await t.step("mate says what is wrong, and exits with the status of the tool", async () => {
      const { code, stderr } = await run("npx", ["mate", "bundel"], { cwd, env });
      assertEquals(code, 2);
      assertStringIncludes(stderr, 'did you mean "bundle"?');
    });
    await t.step("mate dev serves the functions, and ends at a signal", async () => {
      assertEquals(await greet(fromRegistry), "from node_modules: Ada");
      assertEquals(await greet(fromRegistry, "--inspect", "hello"), "from node_modules: Ada");
    });
    await t.step("mate new makes a project for Node.js, which works on each runtime", async () => {
      const shop = consumer(`${cwd}/shop`);
      for (const flags of [[], ["--runtime", "nodejs22.x"], ["--runtime", "deno"]]) {
        const former = `${shop.cwd}-former`;
        if (flags.length > 0) await Deno.rename(shop.cwd, former);
        await mate(fromRegistry, "new", "shop", ...flags);
        const { runtime } = JSON.parse(await Deno.readTextFile(`${shop.cwd}/app.json`));
        assertEquals(runtime, flags[1] ?? "nodejs24.x");
        if (flags.length > 0) {
          await Deno.rename(`${former}/node_modules`, `${shop.cwd}/node_modules`); // is quicker than npm
          await Deno.remove(former, { recursive: true });
        } else {
          await Deno.copyFile(`${cwd}/.npmrc`, `${shop.cwd}/.npmrc`);
          await install(shop.cwd);
        }
        for (const args of [["test"], ["run", "check"]]) {
          await succeed("npm", args, { cwd: shop.cwd, env });
        }
        const isDeno = runtime === "deno"; // the emulated cloud does not know the newest Node.js
        const layers = isDeno ? ["layer-x86_64.zip"] : [];
        await useShop(shop, ["hello.zip", ...layers], isDeno && emulator !== undefined);
      }
      await Deno.remove(shop.cwd, { recursive: true }); // else a test finds its test
      const { stderr } = await run("npx", ["mate", "test"], { cwd, env });
      assertStringIncludes(stderr, '"npm test" runs the tests');
    });
    await t.step("mate bundle uses the packages of the project", async () => {
      assertStringIncludes(await mate(fromRegistry, "bundle", "--analyze"), "only-here");
    });
    await t.step("node --test starts the platform", async () => {
      for (const { cwd } of [fromRegistry, fromTarball]) {
        assertMatch(await succeed("node", ["--test"], { cwd, env }), /^# pass 2$/m);
      }
    });
    await t.step("vitest starts the platform", async () => {
      const args = ["vitest", "run", "vitest.spec.js"];
      assertStringIncludes(await succeed("npx", args, { cwd, env }), "1 passed");
    });
    await t.step("a test shows why a function answered 502", async () => {
      for (
        const args of [
          ["node", "--test", "fails.node.js"],
          ["vitest", "run", "fails.spec.js"],
          ["jest", "--testMatch", "**/fails.jest.js"],
        ]
      ) {
        const flags = { NODE_OPTIONS: "--experimental-vm-modules" }; // Jest needs it for modules.
        const { stdout, stderr } = await run("npx", args, { cwd, env: { ...env, ...flags } });
        assertStringIncludes(stdout + stderr, "no soup 42", args[0]);
      }
    });
    await t.step("a test that is saved on the start page passes with each runner", async () => {
      for (const [runner, type, module] of SAVED) {
        const place = `${cwd}/saved-${runner}-${type}`;
        await writeProject(place, {
          "package.json": JSON.stringify({ type, devDependencies: { [runner]: "*" } }),
          "app.json": JSON.stringify({
            name: "saved",
            stage: "v1",
            runtime: "nodejs24.x",
            functions: { sum: { module } },
          }),
          [module]:
            "export const handler = async ({ a, b }) => ({ sum: a + b, id: Math.random() });",
          "save.mjs": SAVE,
        });
        const [, command] = /^command (.*)$/m.exec(
          await succeed("node", ["save.mjs"], { cwd: place, env }),
        )!;
        const { code, stdout, stderr } = await run("sh", ["-c", command!], { cwd: place, env });
        assertEquals(code, 0, command + stdout + stderr);
        assertMatch(stdout + stderr, /^# pass 1$| 1 passed/m, command!);
      }
    });
    await t.step("the oldest TypeScript accepts the declarations", async () => {
      const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"];
      const libraries = ["--lib", "es2022,esnext.disposable", "--types", "node"];
      await succeed("npx", ["tsc", ...flags, ...libraries, "types.ts"], { cwd, env });
    });
    await t.step("the linter of packages finds nothing", async () => {
      const args = ["publint", "run", TOOL_OUTPUT.pathname, "--strict"];
      await succeed("npx", args, { cwd, env });
    });
    await t.step("nothing is written into node_modules", () => {
      const [names, built] = [`${cwd}/node_modules/@mate/cli`, TOOL_OUTPUT.pathname]
        .map((folder) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort());
      assertEquals(names, built);
    });
  },
});

/** The folder of a project with the tool. */
function consumer(cwd: string): Consumer {
  return { cwd, env, command: [`${cwd}/node_modules/.bin/mate`] };
}

/** Makes a project with the packages. The scope @mate comes from the registry, all others from npm. */
async function makeProject(registry: string, ...packages: string[]): Promise<Consumer> {
  const cwd = await Deno.makeTempDir({ dir: temporary });
  await writeProject(cwd, { ...FILES, ".npmrc": `@mate:registry=${registry}\n` });
  await install(cwd, ...packages);
  await writeProject(cwd, ONLY_HERE); // npm would remove it
  return consumer(cwd);
}
