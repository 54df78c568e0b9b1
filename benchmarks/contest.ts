/**
 * Measures the workloads in this process and prints the results as JSON: what the bundle does that is
 * run on each runtime.
 *
 * @module
 */
import { type Effort, measure, type Timing } from "./_rounds.ts";
import type { Workload } from "./workload.ts";

/** What was measured of a workload. */
export interface Result {
  /** The name of the workload. */
  readonly workload: string;
  /** How many times the floor's time `@mate/core` may take. */
  readonly aim: number;
  /** The contestants, the floor first. */
  readonly timings: readonly Timing[];
  /** Whose results were wrong, and why: they were not timed. */
  readonly failures: readonly string[];
}

/** Checks every contestant of the workloads, and measures those that do the work. */
export async function contest(
  workloads: readonly Workload[],
  effort: Effort,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, aim, contestants, check } of workloads) {
    const failures: string[] = [];
    const able = [];
    for (const contestant of contestants) {
      try {
        check(await contestant.run());
        able.push(contestant);
      } catch (error) {
        failures.push(`${contestant.name}: ${error instanceof Error ? error.message : error}`);
      }
    }
    results.push({ workload: name, aim, timings: await measure(able, effort), failures });
  }
  return results;
}
