/**
 * Measures what a user waits for with the shop of the examples, beside `deno bundle` of each of its functions: the first answer
 * of `mate dev`, `mate bundle` and `mate invoke`, with an empty cache and again.
 *
 * @module
 */
import { globSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cacheFolder } from "../cli/programs/downloads.ts";
import { succeed, temporaryFolder } from "../testdata/programs.ts";
import { RunningProgram } from "../testdata/running_program.ts";
import { toolFlags } from "../testdata/tool_flags.ts";
import { median } from "./contest.ts";

const SHOP = fileURLToPath(new URL("../examples/shop", import.meta.url));
const EVENT = JSON.stringify({ headers: { authorization: "Bearer x" }, methodArn: "x" });

const flags = new Map<string, Promise<string[]>>();

/** Starts the tool of a checkout. */
export async function startTool(
  checkout: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const own = flags.get(checkout) ??
    toolFlags(pathToFileURL(`${checkout}/`), pathToFileURL(`${temporaryFolder()}/`));
  flags.set(checkout, own);
  const tool = ["run", "-A", ...await own, `${checkout}/cli/main.ts`];
  const command = new Deno.Command(Deno.execPath(), {
    args: [...tool, ...args],
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  });
  return new RunningProgram(command.spawn());
}

/** Runs a command of the tool of a checkout with an environment. May return what has to be done after the measurement. */
type Action = (
  checkout: string,
  env: Readonly<Record<string, string>>,
) => Promise<void | (() => Promise<void>)>;

/** The commands by their names in the table. */
const ACTIONS: Readonly<Record<string, Action>> = {
  "dev, first answer": async (checkout, env) => {
    await using stack = new AsyncDisposableStack();
    const args = ["dev", "--port", "0", "--data", temporaryFolder()];
    const tool = stack.use(await startTool(checkout, args, SHOP, env));
    stack.defer(async () => {
      tool.kill("SIGTERM");
      await tool.status();
    });
    const [url] = await tool.find(/http:\/\/localhost:\d+/);
    const response = await fetch(`${url}/v1/products`);
    if (!response.ok) throw new Error(`The shop answers ${response.status}`);
    await response.text();
    const owned = stack.move();
    return () => owned.disposeAsync();
  },
  "bundle": async (checkout, env) => {
    const tool = await startTool(checkout, ["bundle", "--out", temporaryFolder()], SHOP, env);
    if (await tool.status() !== 0) throw new Error(`mate bundle failed: ${await tool.errors}`);
  },
  "invoke, one of seven": (checkout, env) => invoke("app.json", checkout, env),
  "invoke, alone": (checkout, env) => invoke("alone.json", checkout, env),
};

async function invoke(file: string, ...[checkout, env]: Parameters<Action>): Promise<void> {
  const args = ["invoke", "authorizer", file, "--event", EVENT];
  const tool = await startTool(checkout, args, SHOP, env);
  // The function may fail, with the status 1: it has no event of a gateway.
  if (await tool.status() > 1) throw new Error(`mate invoke failed: ${await tool.errors}`);
}

/** Measures, and prints a table with the percent of `deno bundle` of all functions. */
export async function measureStarts(checkouts: readonly string[], rounds: number): Promise<void> {
  const WHOLE = "deno bundle of each function";
  const times: Record<string, number[]> = {};
  const measure = async (name: string, action: () => ReturnType<Action>) => {
    const begin = performance.now();
    const end = await action();
    (times[name] ??= []).push(performance.now() - begin);
    await end?.();
  };
  const { functions } = JSON.parse(await Deno.readTextFile(`${SHOP}/app.json`));
  const modules = Object.values<{ module: string }>(functions).map(({ module }) => module);
  // The application with one function lies beside the shop, because it has the same configuration.
  const alone = `${SHOP}/alone.json`;
  const { authorizer } = functions;
  const application = { name: "alone", stage: "v1", functions: { authorizer } };
  await Deno.writeTextFile(alone, JSON.stringify(application));
  const { denoDir } = JSON.parse(await succeed(Deno.execPath(), ["info", "--json"]));
  try {
    for (const checkout of checkouts) { // downloads what is missing
      for (const run of Object.values(ACTIONS)) await (await run(checkout, {}))?.();
    }
    for (let round = 0; round < rounds; round++) {
      await measure(WHOLE, () => bundleWithDeno(modules));
      for (const checkout of checkouts) {
        const place = checkouts.length > 1 ? ` (${checkout})` : "";
        for (const [name, run] of Object.entries(ACTIONS)) {
          const cache = await Deno.makeTempDir();
          await keepDownloads(cache);
          const env = { XDG_CACHE_HOME: cache, DENO_DIR: denoDir };
          await measure(name + place, () => run(checkout, env));
          await measure(`${name}, again${place}`, () => run(checkout, env));
          await Deno.remove(cache, { recursive: true });
        }
      }
    }
  } finally {
    await Deno.remove(alone);
  }
  const whole = median(times[WHOLE]!);
  console.log("| shop | ms, median | % of deno bundle |\n|---|--:|--:|");
  for (const [name, values] of Object.entries(times)) {
    const percent = (100 * median(values) / whole).toFixed(0);
    console.log(`| ${name} | ${median(values).toFixed(0)} | ${percent} |`);
  }
}

async function bundleWithDeno(modules: readonly string[]): Promise<void> {
  const output = `${temporaryFolder()}/out.js`;
  for (const module of modules) {
    await succeed(Deno.execPath(), ["bundle", "--quiet", module, "-o", output], { cwd: SHOP });
  }
}

/**
 * Gives a new cache the programs that the tool has downloaded, because their download is not measured, and the Deno
 * that was compressed for layers.
 */
async function keepDownloads(cache: string): Promise<void> {
  const caches = dirname(cacheFolder());
  for (const name of globSync(["mate/kept/deno-*", "mate-*/*"], { cwd: caches })) {
    await Deno.mkdir(dirname(`${cache}/${name}`), { recursive: true });
    const [from, to] = [`${caches}/${name}`, `${cache}/${name}`];
    // A copy would still be written to the disk while the tool is measured.
    await Deno.link(from, to).catch(() => Deno.copyFile(from, to));
  }
}
