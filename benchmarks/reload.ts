/**
 * Measures the time from saving a file to the first new answer of `mate dev`: `deno task bench:reload [--quick] [CHECKOUT]…`.
 * Each CHECKOUT is a folder with another version of this repository, to compare it in the same run.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { median, shuffled } from "./contest.ts";

const CLIENTS = {
  "@aws-sdk/client-s3": "S3Client",
  "@aws-sdk/client-sqs": "SQSClient",
  "@aws-sdk/client-sns": "SNSClient",
  "@aws-sdk/client-eventbridge": "EventBridgeClient",
};

/** The functions of the application, by their names. A function answers with the given text. */
const FUNCTIONS: Readonly<Record<string, (text: string) => string>> = {
  small: (text) => `export const handler = () => ({ body: "${text}" });`,
  sdk: (text) =>
    Object.entries(CLIENTS).map(([name, client]) => `import { ${client} } from "${name}";\n`).join(
      "",
    ) +
    `const clients = [${Object.values(CLIENTS).map((client) => `new ${client}({})`)}];
    export const handler = () => ({ body: "${text}" + (clients.length === 4 ? "" : "?") });`,
};

/** A running `mate dev`. */
interface Tool {
  readonly name: string;
  readonly folder: string;
  readonly url: string;
  readonly process: Deno.ChildProcess;
}

const isQuick = Deno.args.includes("--quick");
const own = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const checkouts = [own, ...Deno.args.filter((arg) => arg !== "--quick")];
const tools: Tool[] = [];
try {
  for (const checkout of checkouts) tools.push(await start(checkout));
  const times: Record<string, number[]> = {};
  for (let round = 0; round < (isQuick ? 1 : 15); round++) {
    for (const name of Object.keys(FUNCTIONS)) {
      for (const tool of shuffled(tools)) {
        (times[`${name} ${tool.name}`] ??= []).push(await save(tool, name, `round ${round}`));
      }
    }
  }
  console.log("| function | checkout | ms from saving to the new answer, median |\n|---|---|--:|");
  for (const name of Object.keys(FUNCTIONS)) {
    for (const tool of tools) {
      console.log(
        `| ${name} | ${tool.name} | ${median(times[`${name} ${tool.name}`]!).toFixed(0)} |`,
      );
    }
  }
} finally {
  for (const { process, folder } of tools) {
    process.kill("SIGTERM");
    await process.status;
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts the tool of a checkout with a new application, and waits until every function has answered. */
async function start(checkout: string): Promise<Tool> {
  const folder = await Deno.makeTempDir({ prefix: "mate-reload-" });
  const { imports } = JSON.parse(await Deno.readTextFile(`${own}/deno.json`));
  const packages = Object.keys(CLIENTS).map((name) => [name, imports[name]]);
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    JSON.stringify({ imports: Object.fromEntries(packages), lock: false }),
  );
  const functions = Object.keys(FUNCTIONS).map((name) => [name, {
    module: `${name}.ts`,
    memory: 512,
    triggers: { routes: [{ method: "GET", path: `/${name}` }] },
  }]);
  const manifest = { name: "reload", stage: "v0", functions: Object.fromEntries(functions) };
  await Deno.writeTextFile(`${folder}/app.json`, JSON.stringify(manifest));
  for (const [name, code] of Object.entries(FUNCTIONS)) {
    await Deno.writeTextFile(`${folder}/${name}.ts`, code("first"));
  }
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-lock",
      `--config=${checkout}/cli/deno.json`,
      `${checkout}/cli/main.ts`,
    ]
      .concat("dev", `${folder}/app.json`, "--port", "0"),
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!/http:\/\/localhost:\d+/.test(text)) {
    const { value, done } = await output.read();
    if (done) throw new Error(`The tool of "${checkout}" did not start: ${text}`);
    text += value;
  }
  const [url] = /http:\/\/localhost:\d+/.exec(text)!;
  const drain = (): Promise<void> => output.read().then(({ done }) => done ? undefined : drain());
  void drain(); // The log must not fill the pipe.
  const tool = { name: checkout === own ? "this one" : checkout, folder, url, process };
  for (const name of Object.keys(FUNCTIONS)) await waitFor(tool, name, "first");
  return tool;
}

/** Saves new code of a function. Returns the milliseconds until the first new answer. */
async function save(tool: Tool, name: string, text: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300)); // The watch is quiet.
  const begin = performance.now();
  await Deno.writeTextFile(`${tool.folder}/${name}.ts`, FUNCTIONS[name]!(text));
  await waitFor(tool, name, text);
  return performance.now() - begin;
}

async function waitFor({ url }: Tool, name: string, text: string): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const response = await fetch(`${url}/v0/${name}`);
    if (await response.text() === text) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`The function "${name}" of ${url} did not answer "${text}" in a minute`);
}
