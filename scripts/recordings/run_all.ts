import type { Case } from "./cases.ts";
import type { Place } from "./place.ts";
import { type Result, runCase } from "./run.ts";

/** Runs the cases, several at a time, because most of them wait. The results have the order of the cases. */
export async function runAll(
  cases: readonly Case[],
  place: Place,
  concurrency = 8,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = cases.entries();
  const work = async () => {
    for (const [index, one] of rest) results[index] = await runCase(one, place);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}
