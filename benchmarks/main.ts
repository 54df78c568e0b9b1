/**
 * Measures everything and prints one table: `deno task bench [--quick] [--json]`. It fails if a reply is wrong, and never
 * because of a time.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { measureFirstReply } from "./first_reply.ts";
import { measureFunctions } from "./functions.ts";
import { hasProgram, temporaryFolder } from "../testdata/programs.ts";
import type { Row } from "./contest.ts";
import { measureRuntimeLoop } from "./runtime_loop/measure.ts";
import { bundle, findRuntimes } from "./runtimes.ts";
import { measureSizes } from "./sizes.ts";
import { measureTypes } from "./type_costs.ts";
import { measureWebServers } from "./web_server/measure.ts";

/** The typed clients by their modules. */
const CLIENTS: Readonly<Record<string, string>> = {
  "@mate/core": `{ createClient } from "${new URL("../client/mod.ts", import.meta.url)}"`,
  "Hono RPC": '{ hc } from "npm:hono@4.13.19/client"',
  "openapi-fetch": '{ default as client } from "npm:openapi-fetch@0.17.0"',
  tRPC: '{ createTRPCClient, httpBatchLink } from "npm:@trpc/client@11.25.2"',
};

const { quick: isQuick = false, json: isJson } = parseArgs({
  options: { quick: { type: "boolean" }, json: { type: "boolean" } },
}).values;
const folder = temporaryFolder();
const rows: Row[] = [];
const runtimes = await findRuntimes();
await bundle(new URL("in_runtime.ts", import.meta.url), `${folder}/warm.mjs`);
for (const { name, run } of runtimes) {
  console.error(`Measuring warm calls on ${name} …`);
  rows.push(...JSON.parse(await run(`${folder}/warm.mjs`, name, isQuick ? "quick" : "thorough")));
}
console.error("Measuring first replies …");
rows.push(...await measureFirstReply(folder, runtimes, isQuick ? 1 : 15));
console.error("Measuring the runtime loop …");
rows.push(...await measureRuntimeLoop(folder, isQuick));
console.error("Measuring web servers …");
rows.push(...await measureWebServers(folder, runtimes, isQuick));
console.error("Measuring functions on one machine …");
rows.push(...await measureFunctions(isQuick ? 1 : 15));
console.error("Measuring typed clients …");
rows.push(await measureClients());
if (await hasProgram("npm", "the types of described routes")) {
  rows.push(...await measureTypes());
}

if (isJson) {
  console.log(JSON.stringify({ rows, sizes: await measureSizes() }));
} else printTable();

/** Measures the bytes of each client in a page, minified and gzipped. */
async function measureClients(): Promise<Row> {
  const values: Record<string, number> = {};
  for (const [name, module] of Object.entries(CLIENTS)) {
    const entry = `${folder}/client.ts`;
    await Deno.writeTextFile(entry, `export ${module};`);
    await bundle(new URL(`file://${entry}`), `${folder}/client.mjs`);
    values[name] = gzipSync(await Deno.readFile(`${folder}/client.mjs`), { level: 9 }).length;
  }
  return { work: "typed client, minified and gzipped", runtime: "browser", unit: "bytes", values };
}

function printTable(): void {
  console.log("| work | runtime | unit | @mate/core | others, best first |\n|---|---|---|--:|---|");
  for (const { work, runtime, unit, values } of rows) {
    const show = (value: number) => value >= 100 ? value.toFixed(0) : value.toPrecision(3);
    const { "@mate/core": ours, ...others } = values;
    const sorted = Object.entries(others)
      .sort(([, a], [, b]) => unit === "1/s" ? b - a : a - b)
      .map(([name, value]) => `${name} ${show(value)}`);
    console.log(`| ${work} | ${runtime} | ${unit} | ${show(ours!)} | ${sorted.join(", ")} |`);
  }
}
