/**
 * What the consumers of the packages have in common: their projects, and what they do with the tool.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { startProgram, succeed } from "../../../testdata/programs.ts";
import { RunningProgram } from "../../../testdata/running_program.ts";

/** A folder in which somebody uses the tool. */
export interface Consumer {
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** The program that runs the tool, and its arguments before those of the tool. */
  readonly command: readonly [program: string, ...args: string[]];
}

/** The application of a Node.js project. Its function has a package that is only in `node_modules`. */
export const NODE_PROJECT: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "node-project", type: "module" }),
  "app.json": JSON.stringify({
    name: "node",
    stage: "v1",
    functions: {
      hello: { module: "hello.js", triggers: { routes: [{ method: "GET", path: "/hello" }] } },
      broken: { module: "broken.js", triggers: { routes: [{ method: "GET", path: "/broken" }] } },
    },
  }),
  "hello.js": `import { proxyHandler } from "@mate/core/gateway";
import { greeting } from "only-here";
export const handler = proxyHandler((event) => ({
  greeting: greeting + event.queryStringParameters().name,
}));
`,
  "broken.js": `export const handler = () => { throw new Error("no soup " + 6 * 7); };`,
};

/** The package, which no registry has. */
export const ONLY_HERE: Readonly<Record<string, string>> = {
  "node_modules/only-here/package.json":
    '{ "name": "only-here", "version": "1.0.0", "type": "module", "exports": "./mod.js" }',
  "node_modules/only-here/mod.js": 'export const greeting = "from node_modules: ";',
};

/** Writes files into a folder, which it makes. */
export async function writeProject(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
}

/** Installs packages of npm in a folder, or those that its `package.json` names. */
export async function install(folder: string, ...packages: string[]): Promise<void> {
  await succeed("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
}

/** Runs the tool to its end, and returns its output. */
export function mate({ cwd, env, command }: Consumer, ...args: string[]): Promise<string> {
  const [program, ...before] = command;
  return succeed(program, [...before, ...args], { cwd, env });
}

/** Starts `mate dev`, sends a request for a greeting, and ends the command. Returns the greeting. */
export async function greet(consumer: Consumer, ...options: string[]): Promise<string> {
  const { cwd, env, command: [program, ...before] } = consumer;
  const args = [...before, "dev", "--port", "0", ...options];
  await using tool = new RunningProgram(
    startProgram(program, { args, cwd, env, stdout: "piped", stderr: "piped" }),
  );
  const [, base] = await tool.find(/Base URL {4}(http:\/\/localhost:\d+\/v1)\b/);
  const { greeting } = await (await fetch(`${base}/hello?name=Ada`)).json();
  tool.kill("SIGTERM");
  assertEquals(await tool.status(), 0, await tool.errors);
  return greeting;
}

/** Runs, describes and bundles the application that `mate new shop` makes. Plans its deployment, if there is a cloud. */
export async function useShop(shop: Consumer, zips: string[], hasCloud: boolean): Promise<void> {
  assertEquals(await greet(shop), "Hello, Ada!");
  assertEquals(await greet(shop, "--inspect", "hello"), "Hello, Ada!");
  const manifest = JSON.parse(await Deno.readTextFile(`${shop.cwd}/app.json`));
  await writeProject(shop.cwd, {
    "app.json": JSON.stringify({ ...manifest, api: "api.ts" }),
    "api.ts": 'export const api = { "GET /hello": { responses: { 204: "Done" } } };',
  });
  const { info, paths } = JSON.parse(await mate(shop, "openapi"));
  assertEquals([info.title, Object.keys(paths)], ["shop", ["/hello"]]);
  await mate(shop, "bundle");
  const names = await Array.fromAsync(Deno.readDir(`${shop.cwd}/dist`), ({ name }) => name);
  assertEquals(names.sort(), zips);
  if (!hasCloud) return;
  const plan = await mate(shop, "deploy", "--plan");
  assertStringIncludes(plan, 'aws_lambda_function.function["hello"] will be created');
}
