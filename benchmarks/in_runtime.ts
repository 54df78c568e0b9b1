/**
 * Measures the warm workloads in this process and prints the results as JSON. `main.ts` runs a bundle of this
 * module on each runtime.
 *
 * @module
 */
import process from "node:process";
import { contest, type Effort, type Row } from "./contest.ts";
import { checked } from "./described.ts";
import { records } from "./logger.ts";
import { hostileGrowth, negotiation } from "./negotiation.ts";
import { replies } from "./replies.ts";

const [runtime = "", effort] = process.argv.slice(2);
const rows: Row[] = [];
for (const workload of [...replies, checked, ...negotiation, ...records]) {
  const { name } = workload;
  const thorough: Effort = name.includes("1 MB")
    ? { rounds: 21, turn: 1, warmUp: 200 }
    : { rounds: 101, turn: 5, warmUp: 1_000 };
  const quick: Effort = { rounds: 3, turn: 0.1, warmUp: 1 };
  const { times, failures } = await contest(workload, effort === "quick" ? quick : thorough);
  for (const failure of failures) console.error(`WRONG on ${runtime}: ${name}: ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
  rows.push({ work: name, unit: "µs", runtime, values: times });
}
const work = "hostile header, 512 KB to 32 KB (linear: 16)";
rows.push({ work, unit: "×", runtime, values: { "@mate/core": await hostileGrowth() } });
console.log(JSON.stringify(rows));
