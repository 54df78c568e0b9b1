/**
 * Publishes both packages to a registry on the loopback interface by the command of the release workflow, and uses them as a
 * stranger does, in folders of each kind: online, and then offline. `deno task test:jsr FOLDER` runs this proof; the folder
 * holds the packages of JSR that the two import, as `@scope/name/version/`. Without a folder, they come from JSR.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { Emulator } from "../../cli/deploy/testdata/emulator.ts";
import { cloudEnvironment, missingTools } from "../../cli/deploy/testdata/cloud_tools.ts";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { isReachable, REGISTRY } from "../std.ts";
import { visitDev } from "../visit_dev.ts";
import { Registry } from "./registry.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const [source] = Deno.args;
const hasPackages = source !== undefined || await isReachable(REGISTRY);
const problems = [...hasPackages ? [] : ["the packages of JSR"], ...await missingTools()];
if (problems.length > 0) {
  console.error(`NOT RUN: the proof of the JSR packages. Missing:\n- ${problems.join("\n- ")}`);
}

/** A function that imports the library. */
const FUNCTION = `import { proxyHandler } from "@mate/core/gateway";
export const handler = proxyHandler(() => ({ from: "jsr" }));
`;

/** A function of a Node.js project. The package is in no registry. */
const NODE_FUNCTION = `import { greeting } from "only-here";
export const handler = () => ({ statusCode: 200, body: greeting });
`;

const NODE_APP = {
  name: "node",
  stage: "v1",
  functions: {
    hello: { module: "hello.js", triggers: { routes: [{ method: "GET", path: "/hello" }] } },
  },
};

/** The files of each kind of folder. */
const FOLDERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "an empty folder": {},
  "a folder with a deno.json": { "deno.json": '{ "nodeModulesDir": "auto", "imports": {} }' },
  "a folder with a package.json": {
    "package.json": '{ "name": "node-project", "type": "module" }',
    "node_modules/only-here/package.json":
      '{ "name": "only-here", "version": "1.0.0", "type": "module", "exports": "./mod.js" }',
    "node_modules/only-here/mod.js": 'export const greeting = "from node_modules";',
    "hello.js": NODE_FUNCTION,
    "app.json": JSON.stringify(NODE_APP),
  },
};

Deno.test({
  name: "both packages work from JSR, in every kind of folder, online and offline",
  ignore: problems.length > 0,
  sanitizeOps: false, // the emulator keeps connections alive
  sanitizeResources: false,
  async fn(t) {
    const temporary = await Deno.realPath(temporaryFolder());
    if (source === undefined) await Deno.mkdir(`${temporary}/packages`);
    else await copy(source, `${temporary}/packages`);
    await using emulator = await Emulator.start();
    const registry = new Registry(
      `${temporary}/packages`,
      source === undefined ? REGISTRY : undefined,
    );
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

    await step("the command of the release workflow publishes both packages", async () => {
      await succeed("bash", ["-euc", await publishCommand()], { cwd: ROOT, env });
      for (const name of ["core", "cli"]) {
        const meta = await (await fetch(`${registry.url}@mate/${name}/meta.json`)).json();
        assert(meta.latest, name);
        const files = await (await fetch(`${registry.url}@mate/${name}/${meta.latest}_meta.json`))
          .json();
        const paths = Object.keys(files.manifest);
        for (const path of ["/LICENSE", "/README.md"]) assert(paths.includes(path), path);
        assertEquals(paths.filter((path) => /_test\.ts$|testdata|^\/\.git/.test(path)), []);
      }
    });

    for (const [kind, files] of Object.entries(FOLDERS)) {
      const cwd = `${temporary}/${kind.replaceAll(/\W/g, "_")}`;
      await step(`online, in ${kind}`, async () => {
        for (const [path, text] of Object.entries(files)) await write(`${cwd}/${path}`, text);
        await Deno.mkdir(cwd, { recursive: true });
        await succeed("deno", ["add", "jsr:@mate/core"], { cwd, env });
        await write(`${cwd}/function.ts`, FUNCTION);
        // With these permissions only, as the README says.
        await succeed("deno", [
          "run",
          "--no-config",
          "-RW=.",
          "--no-prompt",
          "jsr:@mate/cli",
          "new",
          "shop",
        ], {
          cwd,
          env,
        });
        await useEverything({ cwd, env, flags: [] }, "app.json" in files);
      });
    }

    await registry[Symbol.asyncDispose]();
    const offline = { ...env, HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "127.0.0.1" };
    for (const kind of Object.keys(FOLDERS)) {
      const cwd = `${temporary}/${kind.replaceAll(/\W/g, "_")}`;
      await step(`offline, in ${kind}`, async () => {
        await Deno.remove(`${cwd}/shop/dist`, { recursive: true });
        const options = { cwd, env: offline, flags: ["--cached-only"] };
        assertStringIncludes(await mate(["new", "again"], options), "again/app.json");
        await useEverything(options, "app.json" in FOLDERS[kind]!);
      });
    }
  },
});

/** How programs run: the folder, the variables, and the flags of Deno. */
interface Stranger {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly flags: readonly string[];
}

/** Uses the library, and each command of the tool that needs no real account. */
async function useEverything(stranger: Stranger, isNode: boolean): Promise<void> {
  const { cwd, env, flags } = stranger;
  const call = `import { call } from "@mate/core/testing";
    import { handler } from "./function.ts";
    console.log(await (await call(handler, { url: "/" })).text());`;
  await write(`${cwd}/call.ts`, call);
  const answer = await succeed("deno", ["run", "-A", ...flags, "call.ts"], { cwd, env });
  assertStringIncludes(answer, '"from": "jsr"');

  const shop = { ...stranger, cwd: `${cwd}/shop` };
  const tested = await succeed("deno", ["test", ...flags], { cwd: shop.cwd, env });
  assertStringIncludes(tested, "1 passed");
  for (const options of [[], ["--inspect", "hello"]]) {
    assertStringIncludes(await visit("/v1/hello?name=Ada", options, shop), "Hello, Ada!");
  }
  const description = 'export const api = { "GET /hello": { responses: { 204: "Done" } } };';
  await write(`${shop.cwd}/api.ts`, description);
  const manifest = JSON.parse(await Deno.readTextFile(`${shop.cwd}/app.json`));
  await write(`${shop.cwd}/app.json`, JSON.stringify({ ...manifest, api: "api.ts" }));
  const { paths } = JSON.parse(await mate(["openapi"], shop));
  assertEquals(Object.keys(paths), ["/hello"]);
  await mate(["bundle"], shop);
  const zips = (await Array.fromAsync(Deno.readDir(`${cwd}/shop/dist`))).map(({ name }) => name);
  assertEquals(zips.sort(), ["hello.zip", "layer-x86_64.zip"]);
  assertMatch(await mate(["deploy", "--plan"], shop), /1 function: shop-hello/);

  if (!isNode) return;
  assertEquals(await visit("/v1/hello", [], stranger), "from node_modules");
  assertEquals(JSON.parse(await mate(["invoke", "hello"], stranger)).body, "from node_modules");
}

function mate(args: readonly string[], { cwd, env, flags }: Stranger) {
  return succeed("deno", ["run", "--no-config", "-A", ...flags, "jsr:@mate/cli", ...args], {
    cwd,
    env,
  });
}

/** Sends a request to `mate dev`, and returns the body of the response. */
async function visit(path: string, options: readonly string[], { cwd, env, flags }: Stranger) {
  const args = [
    "run",
    "--no-config",
    "-A",
    ...flags,
    "jsr:@mate/cli",
    "dev",
    "--port",
    "0",
    ...options,
  ];
  const [body] = await visitDev(Deno.execPath(), args, path, { cwd, env });
  return body;
}

/** The command with which the release workflow publishes to JSR. The registry of this proof knows no provenance. */
async function publishCommand(): Promise<string> {
  const workflow = await Deno.readTextFile(`${ROOT}.github/workflows/publish.yml`);
  const [, lines] = /- name: Publish both packages.*\n +run: \|.*\n((?: {10}.*\n)+)/.exec(
    workflow,
  )!;
  return `deno() { command deno "$@" --token=any --no-provenance; }\n${lines}`;
}

async function write(file: string, text: string): Promise<void> {
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(file, text);
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (name === "@mate") continue; // Both packages must be those of the checkout.
    if (isDirectory) await copy(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}
