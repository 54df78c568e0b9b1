/**
 * What is bundled and run on each runtime: measures what its argument names, and prints it as JSON.
 *
 * @module
 */
import process from "node:process";
import { contest } from "./contest.ts";
import type { Effort } from "./_rounds.ts";
import { growth, memory } from "./workloads/growth.ts";
import { hostile } from "./workloads/hostile.ts";
import { negotiation } from "./workloads/negotiation.ts";
import { replies } from "./workloads/replies.ts";

const THOROUGH: Effort = { rounds: 101, turn: 5, warmUp: 1_000 };
const LARGE: Effort = { rounds: 21, turn: 1, warmUp: 100 };
const QUICK: Effort = { rounds: 3, turn: 0.1, warmUp: 1 };

const [task, effort] = process.argv.slice(2);
const isQuick = effort === "quick";

async function run(): Promise<unknown> {
  switch (task) {
    case "contest": {
      const large = replies.filter(({ name }) => name.startsWith("1 MB"));
      const others = [...replies, ...negotiation()].filter((workload) => !large.includes(workload));
      return [
        ...await contest(others, isQuick ? QUICK : THOROUGH),
        ...await contest(large, isQuick ? QUICK : LARGE),
      ];
    }
    case "hostile":
      return hostile(isQuick ? 0 : 20);
    case "growth":
      return await growth(isQuick ? 0 : 300);
    case "memory":
      return await memory();
  }
  throw new Error(`Cannot measure ${JSON.stringify(task)}: there is no such task`);
}

console.log(JSON.stringify(await run()));
