/**
 * Measures the loop of a developer: `deno task bench:reload [--quick] [CHECKOUT]…`. First the time from saving a file to the
 * first new answer of `mate dev`, in an application of one function on Deno and on Node.js, and in one of ten, then the starts of
 * `starts.ts`. Each CHECKOUT is a folder with another version of this repository, to compare it in the same run.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { makeApp } from "../cli/testdata/bundle.ts";
import config from "../.ci/deno.json" with { type: "json" };
import type { RunningProgram } from "../testdata/running_program.ts";
import { until } from "../testdata/waiting.ts";
import { inRounds, medians } from "./contest.ts";
import { measureStarts, startTool } from "./starts.ts";

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

/** The functions of an application of ten: the others are never invoked after the start. */
const TEN = ["small", "sdk", ...Array.from({ length: 8 }, (_, index) => `sdk${index}`)];

/** The applications: their functions and the runtime of these. */
const APPLICATIONS: readonly (readonly [functions: readonly string[], runtime: string])[] = [
  [["small"], "deno"],
  [["small"], "nodejs24.x"],
  [["sdk"], "deno"],
  [["sdk"], "nodejs24.x"],
  [TEN, "deno"],
];

/** A running `mate dev`. */
interface Tool {
  readonly name: string;
  readonly functions: readonly string[];
  readonly runtime: string;
  readonly app: Awaited<ReturnType<typeof makeApp>>;
  readonly url: string;
  readonly command: RunningProgram;
}

const isQuick = Deno.args.includes("--quick");
const own = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const checkouts = [own, ...Deno.args.filter((arg) => arg !== "--quick")];
const tools: Tool[] = [];
try {
  for (const checkout of checkouts) {
    for (const application of APPLICATIONS) tools.push(await start(checkout, ...application));
  }
  console.log(
    "| function | of | runtime | checkout | ms from saving to the new answer, median |\n" +
      "|---|--:|---|---|--:|",
  );
  let saved = 0;
  for (const name of Object.keys(FUNCTIONS)) {
    const turns = tools.filter(({ functions }) => functions.includes(name)).map((tool) => [
      `${name} | ${tool.functions.length} | ${tool.runtime} | ${tool.name}`,
      () => save(tool, name, `text ${saved++}`),
    ]);
    const times = await inRounds<number>(isQuick ? 3 : 15, Object.fromEntries(turns));
    for (const [key, time] of Object.entries(medians(times, Number))) {
      console.log(`| ${key} | ${time.toFixed(0)} |`);
    }
  }
} finally {
  for (const { command, app } of tools) {
    command.kill("SIGTERM");
    await command.status();
    await app[Symbol.asyncDispose]();
  }
}
await measureStarts(checkouts, isQuick ? 1 : 5);

/** Starts the tool of a checkout with a new application, and waits until every function has answered. */
async function start(
  checkout: string,
  functions: readonly string[],
  runtime: string,
): Promise<Tool> {
  const imports = Object.fromEntries(
    Object.entries(config.imports).filter(([name]) => name in CLIENTS),
  );
  const files = functions.map((name) => [`${name}.ts`, codeOf(name, "first")]);
  const settings = functions.map((name) => [name, {
    module: `${name}.ts`,
    memory: 512,
    triggers: { routes: [{ method: "GET", path: `/${name}` }] },
  }]);
  const app = await makeApp(
    { "deno.json": JSON.stringify({ imports, lock: false }), ...Object.fromEntries(files) },
    Object.fromEntries(settings),
    { runtime },
  );
  const command = await startTool(checkout, ["dev", app.manifest, "--port", "0"], app.folder);
  const [url] = await command.find(/http:\/\/localhost:\d+/);
  const name = checkout === own ? "this one" : checkout;
  const tool = { name, functions, runtime, app, url, command };
  for (const name of functions) await waitFor(tool, name, "first");
  return tool;
}

function codeOf(name: string, text: string): string {
  return FUNCTIONS[name.replace(/\d$/, "")]!(text);
}

/** Saves new code of a function. Returns the milliseconds until the first new answer. */
async function save(tool: Tool, name: string, text: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300)); // The watch is quiet.
  const begin = performance.now();
  await Deno.writeTextFile(`${tool.app.folder}/${name}.ts`, codeOf(name, text));
  await waitFor(tool, name, text);
  return performance.now() - begin;
}

async function waitFor({ url }: Tool, name: string, text: string): Promise<void> {
  await until(
    `the answer "${text}" of "${name}"`,
    async () => await (await fetch(`${url}/v0/${name}`)).text() === text,
  );
}
