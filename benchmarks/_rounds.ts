import { shuffled, type Spread, spreadOf } from "./_statistics.ts";

/** Someone who does the work of a workload. */
export interface Contestant {
  /** Who, as the table shows it. */
  readonly name: string;
  /** Does the work once, sync or async; what it returns is checked before anything is timed. */
  readonly run: () => unknown;
}

/** How long to measure. */
export interface Effort {
  /** How often every contestant has its turn. */
  readonly rounds: number;
  /** How long a turn takes, in milliseconds; at least one call. */
  readonly turn: number;
  /** How long each contestant runs before anything is timed, in milliseconds. */
  readonly warmUp: number;
}

/** What was measured of one contestant. */
export interface Timing {
  /** Who. */
  readonly name: string;
  /** Microseconds a call. */
  readonly time: Spread;
  /** The time divided by that of the floor next to it. */
  readonly ratio: Spread;
}

let sink: unknown; // what is used cannot be optimised away

/**
 * Measures contestants against the first of them, the floor.
 *
 * In every round each has a turn, in an order of chance, next to a turn of the floor, which comes first as
 * often as last, and is compared with that one alone: what slows the machine for a while slows both.
 */
export async function measure(
  contestants: readonly Contestant[],
  effort: Effort,
): Promise<Timing[]> {
  const players: Player[] = [];
  for (const contestant of contestants) players.push(await prepare(contestant, effort));
  const [floor, ...others] = players;
  if (floor === undefined) return [];
  for (let round = 0; round < effort.rounds; round++) {
    for (const player of shuffled(others)) {
      const pair = new Map<Player, number>();
      for (const next of shuffled([floor, player])) pair.set(next, await next.turn());
      for (const [next, time] of pair) next.times.push(time * 1000);
      player.ratios.push(pair.get(player)! / pair.get(floor)!);
    }
  }
  floor.ratios.push(1); // to itself
  if (others.length === 0) floor.times.push(await floor.turn() * 1000);
  return players.map(({ name, times, ratios }) => ({
    name,
    time: spreadOf(times),
    ratio: spreadOf(ratios),
  }));
}

interface Player {
  readonly name: string;
  /** Microseconds a call, of each turn. */
  readonly times: number[];
  /** The same, divided by that of the floor. */
  readonly ratios: number[];
  /** Milliseconds a call. */
  turn(): Promise<number>;
}

async function prepare({ name, run }: Contestant, effort: Effort): Promise<Player> {
  const first = run();
  const batch = first instanceof Promise ? asyncBatch : syncBatch;
  await first;
  let calls = 1;
  let duration = await batch(run, calls);
  for (let spent = duration; spent < effort.warmUp; spent += duration) {
    if (duration < effort.turn) calls *= 2;
    duration = await batch(run, calls);
  }
  const callsPerTurn = Math.max(1, Math.round(calls * effort.turn / duration));
  return {
    name,
    times: [],
    ratios: [],
    turn: async () => await batch(run, callsPerTurn) / callsPerTurn,
  };
}

function syncBatch(run: () => unknown, calls: number): number {
  const start = performance.now();
  for (let call = 0; call < calls; call++) sink = run();
  return performance.now() - start;
}

async function asyncBatch(run: () => unknown, calls: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call++) sink = await run();
  return performance.now() - start;
}

/** The last result, for whoever doubts that there was one. */
export function lastResult(): unknown {
  return sink;
}
