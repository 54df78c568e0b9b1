/**
 * Publishes both packages to a registry on the loopback interface by the command of the release workflow, and uses them as a
 * stranger does, in folders of each kind: online, and then offline. `deno task test:jsr FOLDER` runs this file; the folder
 * holds the packages of JSR that the two import, as `@scope/name/version/`. Without a folder, they come from JSR.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { Emulator } from "../../cli/deploy/testdata/emulator.ts";
import { cloudEnvironment, missingTools } from "../../cli/deploy/testdata/cloud_tools.ts";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { isReachable, REGISTRY } from "../std.ts";
import { ROOT } from "./metadata.ts";
import { Registry } from "./registry.ts";
import {
  type Consumer,
  greet,
  mate,
  NODE_PROJECT,
  ONLY_HERE,
  useShop,
  writeProject,
} from "./testdata/consumers.ts";

const [source] = Deno.args;
const hasPackages = source !== undefined || await isReachable(REGISTRY);
const problems = [...hasPackages ? [] : ["the packages of JSR"], ...await missingTools()];
if (problems.length > 0) {
  console.error(`NOT RUN: the proof of the JSR packages. Missing:\n- ${problems.join("\n- ")}`);
}

/** The files of each kind of folder. */
const FOLDERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "an empty folder": {},
  "a folder with a deno.json": { "deno.json": '{ "nodeModulesDir": "auto", "imports": {} }' },
  "a folder with a package.json": { ...NODE_PROJECT, ...ONLY_HERE },
};

/** A function that imports the library, and a program that calls it. */
const CALL = {
  "function.ts": `import { proxyHandler } from "@mate/core/gateway";
    export const handler = proxyHandler(() => ({ from: "jsr" }));`,
  "call.ts": `import { call } from "@mate/core/testing";
    import { handler } from "./function.ts";
    console.log(await (await call(handler, { url: "/" })).text());`,
};

Deno.test({
  name: "both packages work from JSR, in every kind of folder, online and offline",
  timeout: 3_600_000, // It takes minutes, and more on a busy machine.
  ignore: problems.length > 0,
  sanitizeOps: false, // the emulator keeps connections alive
  sanitizeResources: false,
  async fn(t) {
    const temporary = await Deno.realPath(temporaryFolder());
    await using emulator = await Emulator.start();
    const registry = await Registry.open(source, source === undefined ? REGISTRY : undefined);
    const env = {
      NO_COLOR: "1",
      PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
      JSR_URL: registry.url,
      DENO_DIR: `${temporary}/deno`,
      XDG_CACHE_HOME: `${temporary}/cache`,
      ...await cloudEnvironment(temporary, emulator.url),
    };
    const step = async (name: string, act: () => Promise<void>) => {
      if (!await t.step(name, act)) throw new Error(`The step failed: ${name}`);
    };
    const folderOf = (kind: string) => `${temporary}/${kind.replaceAll(/\W/g, "_")}`;

    await step("the command of the release workflow publishes both packages", async () => {
      await succeed("bash", ["-euc", await publishCommand()], { cwd: ROOT, env });
      for (const name of ["core", "cli"]) {
        const read = async (path: string) =>
          await (await fetch(`${registry.url}@mate/${name}/${path}`)).json();
        const { latest } = await read("meta.json");
        const paths = Object.keys((await read(`${latest}_meta.json`)).manifest);
        for (const path of ["/LICENSE", "/README.md"]) assert(paths.includes(path), path);
        assertEquals(paths.filter((path) => /_test\.ts$|testdata|^\/\.git/.test(path)), []);
      }
    });

    for (const [kind, files] of Object.entries(FOLDERS)) {
      await step(`online, in ${kind}`, async () => {
        const cwd = folderOf(kind);
        await writeProject(cwd, { ...files, ...CALL });
        await succeed("deno", ["add", "jsr:@mate/core"], { cwd, env });
        // With these permissions only, as the README says.
        const args = ["run", "--no-config", "-RW=.", "--no-prompt", "jsr:@mate/cli", "new", "shop"];
        await succeed("deno", args, { cwd, env });
        await useEverything(cwd, env);
      });
    }

    await registry[Symbol.asyncDispose]();
    const offline = { ...env, HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1" };
    for (const kind of Object.keys(FOLDERS)) {
      await step(`offline, in ${kind}`, async () => {
        const cwd = folderOf(kind);
        await Deno.remove(`${cwd}/shop`, { recursive: true });
        const made = await mate(consumer(cwd, offline, "--cached-only"), "new", "shop");
        assertStringIncludes(made, "shop/app.json");
        await useEverything(cwd, offline, "--cached-only");
      });
    }
  },
});

function consumer(cwd: string, env: Record<string, string>, ...flags: string[]): Consumer {
  return { cwd, env, command: ["deno", "run", "--no-config", "-A", ...flags, "jsr:@mate/cli"] };
}

/** Uses the library, and each command of the tool that needs no real account. */
async function useEverything(cwd: string, env: Record<string, string>, ...flags: string[]) {
  const answer = await succeed("deno", ["run", "-A", ...flags, "call.ts"], { cwd, env });
  assertStringIncludes(answer, '"from": "jsr"');
  const shop = consumer(`${cwd}/shop`, env, ...flags);
  const tested = await succeed("deno", ["test", ...flags], { cwd: shop.cwd, env });
  assertStringIncludes(tested, "1 passed");
  await useShop(shop, ["hello.zip", "layer-x86_64.zip"], true);
  const isNode = await Deno.stat(`${cwd}/app.json`).then(() => true, () => false);
  if (!isNode) return;
  const application = consumer(cwd, env, ...flags);
  assertEquals(await greet(application), "from node_modules: Ada");
  const event = JSON.stringify({ headers: {}, queryStringParameters: { name: "Bob" } });
  const { body } = JSON.parse(await mate(application, "invoke", "hello", "--event", event));
  assertEquals(JSON.parse(body).greeting, "from node_modules: Bob");
}

/** The command with which the release workflow publishes to JSR. The registry of this proof knows no provenance. */
async function publishCommand(): Promise<string> {
  const workflow = await Deno.readTextFile(new URL(".github/workflows/publish.yml", ROOT));
  const [, lines] = /- name: Publish both packages.*\n +run: \|.*\n((?: {10}.*\n)+)/.exec(
    workflow,
  )!;
  return `deno() { command deno "$@" --token=any --no-provenance; }\n${lines}`;
}
