/**
 * Installs the npm package of the tool in Node.js projects, and uses it there. Nobody types `deno`, and no JSR is there.
 * `deno task test:npm:cli` runs this file after `deno task build:npm` and `deno task build:npm:cli`.
 *
 * @module
 */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import config from "../../../cli/deno.json" with { type: "json" };
import { cloudEnvironment, missingTools } from "../../../cli/deploy/testdata/cloud_tools.ts";
import { Emulator } from "../../../cli/deploy/testdata/emulator.ts";
import { run, succeed, temporaryFolder } from "../../../testdata/programs.ts";
import { OUTPUT, TOOL_OUTPUT } from "../metadata.ts";
import { visitDev } from "../../visit_dev.ts";
import { NpmRegistry } from "./registry.ts";

const VITEST = "vitest@3.2.4";
const TYPESCRIPT = "typescript@5.2.2";
const LINTER = "publint@0.3.25";

/** A function with a package that is only in `node_modules`. */
const FUNCTION = `import { proxyHandler } from "@mate/core/gateway";
import { greeting } from "only-here";
export const handler = proxyHandler((event) => ({
  greeting: greeting + event.queryStringParameters().name,
}));
`;

const APP = {
  name: "node",
  stage: "v1",
  functions: {
    hello: { module: "hello.js", triggers: { routes: [{ method: "GET", path: "/hello" }] } },
    broken: { module: "broken.js", triggers: { routes: [{ method: "GET", path: "/broken" }] } },
  },
};

const SETUP = `let platform;
before(async () => platform = await startPlatform("app.json", { onLine: (line) => lines.push(line) }));
after(() => platform.stop());
const lines = [];
const read = async () => (await (await fetch(platform.url + "/v1/hello?name=Ada")).json()).greeting;
`;

const FILES = {
  "package.json": JSON.stringify({ name: "node-project", type: "module" }),
  "app.json": JSON.stringify(APP),
  "hello.js": FUNCTION,
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
  "broken.js": `export const handler = () => { throw new Error("no soup " + 6 * 7); };`,
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
  "fails.spec.js": `import { test } from "vitest";
import { fail } from "./fails.js";
test("fails", fail, 60_000);
`,
  "vitest.spec.js": `import { afterAll as after, beforeAll as before, expect, test } from "vitest";
import { startPlatform } from "@mate/cli/platform";
${SETUP}
test("the function answers", async () => expect(await read()).toBe("from node_modules: Ada"));
`,
  "types.ts": `import { type Platform, startPlatform } from "@mate/cli/platform";
export async function read(): Promise<number> {
  await using platform: Platform = await startPlatform("app.json", { onLine: console.log });
  return (await fetch(platform.url)).status;
}
// @ts-expect-error A port is a number.
startPlatform("app.json", { port: "8000" });
`,
};

const temporary = await Deno.realPath(temporaryFolder());
await Deno.mkdir(`${temporary}/tarballs`);
const env = { NO_COLOR: "1", JSR_URL: "http://127.0.0.1:1/", DENO_DIR: `${temporary}/deno` };

Deno.test({
  name: "the npm package of the tool works in Node.js projects",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using registry = new NpmRegistry(`${temporary}/tarballs`);
    const library = await registry.add(OUTPUT);
    const tool = await registry.add(TOOL_OUTPUT);
    const fromRegistry = await makeProject("registry", registry.url, [
      "@mate/cli",
      "@mate/core",
      VITEST,
      TYPESCRIPT,
      LINTER,
      "@types/node@20.19.25",
    ]);
    const fromTarball = await makeProject("tarball", "http://127.0.0.1:1/", [library, tool]);

    await t.step("mate --version is the version of the package", async () => {
      for (const cwd of [fromRegistry, fromTarball]) {
        assertEquals(await mate(cwd, "--version"), `${config.version}\n`);
      }
    });
    await t.step("mate says what is wrong, and exits with the status of the tool", async () => {
      const { code, stderr } = await run("npx", ["mate", "bundel"], { cwd: fromRegistry, env });
      assertEquals(code, 2);
      assertStringIncludes(stderr, 'did you mean "bundle"?');
    });
    await t.step("mate dev serves the functions, and ends at a signal", async () => {
      for (const options of [[], ["--inspect", "hello"]]) {
        const [body, code] = await visit(fromRegistry, options);
        assertEquals([JSON.parse(body).greeting, code], ["from node_modules: Ada", 0]);
      }
    });
    await t.step("mate new makes a project for Node.js, which works on each runtime", async () => {
      const cwd = `${fromRegistry}/shop`;
      for (const flags of [[], ["--runtime", "nodejs22.x"], ["--runtime", "deno"]]) {
        const former = `${cwd}-former`;
        if (flags.length > 0) await Deno.rename(cwd, former);
        await mate(fromRegistry, "new", "shop", ...flags);
        const { runtime } = JSON.parse(await Deno.readTextFile(`${cwd}/app.json`));
        assertEquals(runtime, flags[1] ?? "nodejs24.x");
        if (flags.length > 0) {
          await Deno.rename(`${former}/node_modules`, `${cwd}/node_modules`); // is quicker than npm
          await Deno.remove(former, { recursive: true });
        } else {
          await Deno.copyFile(`${fromRegistry}/.npmrc`, `${cwd}/.npmrc`);
          await succeed("npm", ["install", "--no-audit", "--no-fund"], { cwd, env });
        }
        for (const args of [["test"], ["run", "check"]]) await succeed("npm", args, { cwd, env });
        const [body] = await visit(cwd, []);
        assertEquals(JSON.parse(body), { greeting: "Hello, Ada!" });
        await mate(cwd, "bundle");
        const zips = await Array.fromAsync(Deno.readDir(`${cwd}/dist`), ({ name }) => name);
        assertEquals(zips.some((name) => name.startsWith("layer-")), runtime === "deno");
      }
      const code = 'export const api = { "GET /hello": { responses: { 204: "Done" } } };';
      await Deno.writeTextFile(`${cwd}/api.js`, code);
      const manifest = JSON.parse(await Deno.readTextFile(`${cwd}/app.json`));
      await Deno.writeTextFile(`${cwd}/app.json`, JSON.stringify({ ...manifest, api: "api.js" }));
      const { info, paths } = JSON.parse(await mate(cwd, "openapi"));
      assertEquals([info.title, Object.keys(paths)], ["shop", ["/hello"]]);
      await Deno.remove(cwd, { recursive: true }); // else a test finds its test
      const { stderr } = await run("npx", ["mate", "test"], { cwd: fromRegistry, env });
      assertStringIncludes(stderr, '"npm test" runs the tests');
    });
    await t.step("mate bundle uses the packages of the project", async () => {
      assertStringIncludes(await mate(fromRegistry, "bundle", "--analyze"), "only-here");
    });
    await t.step("node --test starts the platform", async () => {
      for (const cwd of [fromRegistry, fromTarball]) {
        assertMatch(await succeed("node", ["--test"], { cwd, env }), /^# pass 2$/m);
      }
    });
    await t.step("vitest starts the platform", async () => {
      const args = ["vitest", "run", "vitest.spec.js"];
      assertStringIncludes(await succeed("npx", args, { cwd: fromRegistry, env }), "1 passed");
    });
    await t.step("a test shows why a function answered 502", async () => {
      for (
        const args of [["node", "--test", "fails.node.js"], ["vitest", "run", "fails.spec.js"]]
      ) {
        const { stdout, stderr } = await run("npx", args, { cwd: fromRegistry, env });
        assertStringIncludes(stdout + stderr, "no soup 42", args[0]);
      }
    });
    await t.step("the oldest TypeScript accepts the declarations", async () => {
      const flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"];
      const libraries = ["--lib", "es2022,esnext.disposable", "--types", "node"];
      const args = ["tsc", ...flags, ...libraries, "types.ts"];
      await succeed("npx", args, { cwd: fromRegistry, env });
    });
    await t.step("the linter of packages finds nothing", async () => {
      const args = ["publint", "run", TOOL_OUTPUT.pathname, "--strict"];
      await succeed("npx", args, { cwd: fromRegistry, env });
    });
    await t.step("nothing is written into node_modules", async () => {
      const folder = `${fromRegistry}/node_modules/@mate/cli`;
      const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
      const built = await Array.fromAsync(Deno.readDir(TOOL_OUTPUT), ({ name }) => name);
      assertEquals(names.sort(), built.sort());
    });

    const missing = await missingTools();
    if (missing.length > 0) {
      console.error(`NOT RUN: mate deploy --plan. Missing:\n- ${missing.join("\n- ")}`);
    }
    await t.step({
      name: "mate deploy --plan runs with its named permissions",
      ignore: missing.length > 0,
      async fn() {
        await using emulator = await Emulator.start();
        Object.assign(env, await cloudEnvironment(temporary, emulator.url));
        const plan = await mate(fromRegistry, "deploy", "--plan");
        assertMatch(plan, /2 functions: node-broken, node-hello/); // with that of the step about 502
      },
    });
  },
});

/** Makes a project with the packages. The scope @mate comes from the registry, all others from npm. */
async function makeProject(name: string, registry: string, packages: string[]): Promise<string> {
  const cwd = `${temporary}/${name}`;
  await Deno.mkdir(cwd);
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.writeTextFile(`${cwd}/${path}`, text);
  }
  await Deno.writeTextFile(`${cwd}/.npmrc`, `@mate:registry=${registry}\n`);
  const args = ["install", "--no-audit", "--no-fund", ...packages];
  await succeed("npm", args, { cwd });
  const local = `${cwd}/node_modules/only-here`;
  await Deno.mkdir(local);
  const metadata = { name: "only-here", version: "1.0.0", type: "module", exports: "./mod.js" };
  await Deno.writeTextFile(`${local}/package.json`, JSON.stringify(metadata));
  await Deno.writeTextFile(`${local}/mod.js`, 'export const greeting = "from node_modules: ";');
  return cwd;
}

/** Runs `npx mate` to its end, and returns its output. */
function mate(cwd: string, ...args: string[]): Promise<string> {
  return succeed("npx", ["mate", ...args], { cwd, env });
}

/** Sends a request to `mate dev`. Returns the body of the response and the exit status. */
function visit(cwd: string, options: readonly string[]): Promise<[body: string, code: number]> {
  const program = `${cwd}/node_modules/.bin/mate`;
  return visitDev(program, ["dev", "--port", "0", ...options], "/v1/hello?name=Ada", { cwd, env });
}
