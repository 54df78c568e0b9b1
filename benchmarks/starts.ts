/**
 * Measures what a user waits for with the shop of the examples, beside `deno bundle` of each of its functions: the first answer
 * of `mate dev`, `mate bundle` and `mate invoke`, with an empty cache and again.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../cli/programs/downloads.ts";
import { median } from "./contest.ts";

const SHOP = fileURLToPath(new URL("../examples/shop", import.meta.url));
const EVENT = JSON.stringify({ headers: { authorization: "Bearer x" }, methodArn: "x" });

/** A command of the tool. */
export interface Command extends AsyncDisposable {
  /** Reads the output up to a pattern. Rejects if the command ends before. */
  find(pattern: RegExp): Promise<string>;
  status(): Promise<Deno.CommandStatus>;
}

const configurations = new Map<string, Promise<string>>();

/**
 * Writes a configuration with which the tool of a checkout finds its packages as the published tool does: with the lock file.
 * Without one, Deno chooses the versions of all packages at each start.
 */
async function writeConfiguration(checkout: string): Promise<string> {
  const read = async (file: string) => JSON.parse(await Deno.readTextFile(`${checkout}/${file}`));
  const [core, cli] = [await read("deno.json"), await read("cli/deno.json")];
  const modules = Object.entries<string>(core.exports)
    .map(([name, path]) => [join(core.name, name), join(checkout, path)]);
  const folder = await Deno.makeTempDir({ prefix: "mate-starts-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const imports = { ...cli.imports, ...Object.fromEntries(modules) };
  await Deno.writeTextFile(`${folder}/deno.json`, JSON.stringify({ imports }));
  await Deno.copyFile(`${checkout}/cli/packages.lock.json`, `${folder}/deno.lock`);
  return `${folder}/deno.json`;
}

/** Starts the tool of a checkout. */
export async function startTool(
  checkout: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Command> {
  const configuration = configurations.get(checkout) ?? writeConfiguration(checkout);
  configurations.set(checkout, configuration);
  const tool = ["run", "-A", `--config=${await configuration}`];
  const process = new Deno.Command(Deno.execPath(), {
    args: [...tool, `${checkout}/cli/main.ts`, ...args],
    cwd,
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const output = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const drain = (): Promise<void> => output.read().then(({ done }) => done ? undefined : drain());
  return {
    async find(pattern) {
      while (!pattern.test(text)) {
        const { value, done } = await output.read();
        if (done) throw new Error(`The tool of "${checkout}" ended: ${text}`);
        text += value;
      }
      void drain(); // The log must not fill the pipe.
      return pattern.exec(text)![0];
    },
    async status() {
      void drain();
      return await process.status;
    },
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      await process.status;
    },
  };
}

/** Returns the milliseconds that an action takes. */
async function time(action: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await action();
  return performance.now() - begin;
}

/** Measures, and prints a table with the percent of `deno bundle` of all functions. */
export async function measureStarts(checkouts: readonly string[], rounds: number): Promise<void> {
  const times: Record<string, number[]> = {};
  const add = (name: string, value: number) => (times[name] ??= []).push(value);
  const manifest = JSON.parse(await Deno.readTextFile(`${SHOP}/app.json`));
  const modules: string[] = Object.values<{ module: string }>(manifest.functions)
    .map(({ module }) => module);
  // The application with one function lies beside the shop, because it has the same configuration.
  const alone = `${SHOP}/alone.json`;
  const { authorizer } = manifest.functions;
  await Deno.writeTextFile(
    alone,
    JSON.stringify({ name: "alone", stage: "v1", functions: { authorizer } }),
  );
  try {
    for (const checkout of checkouts) { // downloads what is missing
      for (const run of [answerOnce, bundle]) await run(checkout, "app.json", {});
    }
    for (let round = 0; round < rounds; round++) {
      add("deno bundle of each function", await time(() => bundleWithDeno(modules)));
      for (const checkout of checkouts) {
        const measure = async (name: string, file: string, run: typeof invoke) => {
          const cache = await Deno.makeTempDir();
          await keepDownloads(cache);
          const env = { XDG_CACHE_HOME: cache, DENO_DIR: await denoDir() };
          for (const again of ["", ", again"]) {
            const label = `${name}${again}${checkouts.length > 1 ? ` (${checkout})` : ""}`;
            add(label, await time(() => run(checkout, file, env)));
          }
          await Deno.remove(cache, { recursive: true });
        };
        await measure("dev, first answer", "app.json", answerOnce);
        await measure("bundle", "app.json", bundle);
        await measure("invoke, one of seven", "app.json", invoke);
        await measure("invoke, alone", "alone.json", invoke);
      }
    }
  } finally {
    await Deno.remove(alone);
  }
  const whole = median(times["deno bundle of each function"]!);
  console.log("| shop | ms, median | % of deno bundle |\n|---|--:|--:|");
  for (const [name, values] of Object.entries(times)) {
    const percent = (100 * median(values) / whole).toFixed(0);
    console.log(`| ${name} | ${median(values).toFixed(0)} | ${percent} |`);
  }
}

async function bundleWithDeno(modules: readonly string[]): Promise<void> {
  const folder = await Deno.makeTempDir();
  for (const module of modules) {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--quiet", module, "-o", `${folder}/out.js`],
      cwd: SHOP,
    }).output();
    if (!success) throw new Error(`deno bundle ${module} failed`);
  }
  await Deno.remove(folder, { recursive: true });
}

type Environment = Readonly<Record<string, string>>;

async function answerOnce(checkout: string, file: string, env: Environment): Promise<void> {
  const data = await Deno.makeTempDir();
  {
    const args = ["dev", file, "--port", "0", "--data", data];
    await using tool = await startTool(checkout, args, SHOP, env);
    const url = await tool.find(/http:\/\/localhost:\d+/);
    const response = await fetch(`${url}/v1/products`);
    if (!response.ok) throw new Error(`The shop answers ${response.status}`);
    await response.text();
  }
  await Deno.remove(data, { recursive: true });
}

async function bundle(checkout: string, file: string, env: Environment): Promise<void> {
  const out = await Deno.makeTempDir();
  const tool = await startTool(checkout, ["bundle", file, "--out", out], SHOP, env);
  const { success } = await tool.status();
  if (!success) throw new Error("mate bundle failed");
  await Deno.remove(out, { recursive: true });
}

async function invoke(checkout: string, file: string, env: Environment): Promise<void> {
  const args = ["invoke", "authorizer", file, "--event", EVENT];
  const { code } = await (await startTool(checkout, args, SHOP, env)).status();
  if (code > 1) throw new Error("mate invoke failed"); // The function may fail: it has no event of a gateway.
}

/**
 * Gives a new cache the programs that the tool has downloaded, because their download is not measured: the packages, the programs
 * that were unpacked, and the Deno that was compressed for layers.
 */
async function keepDownloads(cache: string): Promise<void> {
  const folder = cacheFolder();
  const names = async (path: string, pattern: RegExp) =>
    (await Array.fromAsync(Deno.readDir(path), ({ name }) => name))
      .filter((name) => pattern.test(name));
  const packages = await names(folder, /\.tgz$/);
  const layers = (await names(`${folder}/kept`, /^deno-/)).map((name) => `kept/${name}`);
  const programs = (await names(dirname(folder), /^mate-/)).map(async (name) => {
    const files = await names(join(dirname(folder), name), /(?:)/);
    return files.map((file) => `../${name}/${file}`);
  });
  for (const name of [...packages, ...layers, ...(await Promise.all(programs)).flat()]) {
    await Deno.mkdir(dirname(`${cache}/mate/${name}`), { recursive: true });
    await Deno.copyFile(`${folder}/${name}`, join(cache, "mate", name));
  }
}

let found: string | undefined;

async function denoDir(): Promise<string> {
  const args = ["info", "--json"];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  return found ??= JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
