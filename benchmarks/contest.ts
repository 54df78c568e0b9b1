import process from "node:process";

/** A piece of work that several contestants do. */
export interface Workload {
  /** The name in the table. */
  readonly name: string;
  /** The contestants by name, `@mate/core` first. */
  readonly contestants: Readonly<Record<string, () => unknown>>;
  /** Throws if a result is wrong. */
  check(result: unknown): void | Promise<void>;
}

/** One row of the table. */
export interface Row {
  readonly work: string;
  readonly unit: string;
  readonly runtime: string;
  /** The medians by contestant. */
  readonly values: Readonly<Record<string, number>>;
}

/** How long to measure. */
export interface Effort {
  /** How often every contestant has a turn. */
  readonly rounds: number;
  /** Milliseconds of a turn; a turn has at least one call. */
  readonly turn: number;
  /** Milliseconds that each contestant runs before the first round. */
  readonly warmUp: number;
}

/** Microseconds of the processor for a call, by contestant, and the contestants whose result was wrong. */
export interface Result {
  readonly times: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
}

/** Checks the contestants, then measures in rounds. In every round each has a turn, in random order. */
export async function contest(workload: Workload, effort: Effort): Promise<Result> {
  const failures: string[] = [];
  const turns: Record<string, () => Promise<number>> = {};
  for (const [name, run] of Object.entries(workload.contestants)) {
    try {
      await workload.check(await run());
      turns[name] = await prepare(run, effort);
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
    }
  }
  // The first contestant was compiled before the engine saw the others call the same functions.
  for (const name of Object.keys(turns)) {
    turns[name] = await prepare(workload.contestants[name]!, effort);
  }
  const times = medians(
    await inRounds(effort.rounds, turns),
    (milliseconds) => milliseconds * 1000,
  );
  return { times, failures };
}

/** Gives every contestant a turn in each round, in random order. Returns the results of each contestant. */
export async function inRounds<T>(
  rounds: number,
  contestants: Readonly<Record<string, () => Promise<T>>>,
): Promise<Record<string, T[]>> {
  const turns = Object.entries(contestants);
  const results: Record<string, T[]> = Object.fromEntries(turns.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const order = turns.map((turn) => [Math.random(), turn] as const).sort(([a], [b]) => a - b);
    for (const [, [name, turn]] of order) results[name]!.push(await turn());
  }
  return results;
}

/** The median of the results of each contestant. */
export function medians<T>(
  results: Readonly<Record<string, readonly T[]>>,
  valueOf: (result: T) => number,
): Record<string, number> {
  const entries = Object.entries(results);
  return Object.fromEntries(entries.map(([name, all]) => [name, median(all.map(valueOf))]));
}

/** Warms up a contestant. The returned function runs a turn, and returns the milliseconds of one call. */
async function prepare(run: () => unknown, effort: Effort): Promise<() => Promise<number>> {
  let calls = 1;
  let duration = await timeOf(run, calls);
  for (let spent = duration; spent < effort.warmUp; spent += duration) {
    if (duration < effort.turn) calls *= 2;
    duration = await timeOf(run, calls);
  }
  // The count of the processor may not have moved in a short turn.
  const callsPerTurn = Math.max(1, Math.round(calls * effort.turn / Math.max(duration, 0.001)));
  return async () => await timeOf(run, callsPerTurn) / callsPerTurn;
}

/** The result of the last call. If no result were used, the engine could leave out the calls. */
export let lastResult: unknown;

/** The milliseconds of the processor that some calls take. The clock would count other programs of a busy machine too. */
async function timeOf(run: () => unknown, calls: number): Promise<number> {
  const start = process.cpuUsage();
  for (let call = 0; call < calls; call++) {
    const result = run();
    lastResult = result instanceof Promise ? await result : result;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
