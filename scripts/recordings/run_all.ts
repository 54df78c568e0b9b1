import type { Case } from "./cases.ts";
import type { Place } from "./place.ts";
import { type Result, runCase } from "./run.ts";

/** The number of cases at a time. Most of them wait. */
const CONCURRENCY = 8;

/** Runs the cases, several at a time. The results have the order of the cases. */
export async function runAll(cases: readonly Case[], place: Place): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = cases.entries();
  const work = async () => {
    for (const [index, one] of rest) results[index] = await runCase(one, place);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}
