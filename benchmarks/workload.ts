import type { Contestant } from "./_rounds.ts";

/** A piece of work that every contestant does. */
export interface Workload {
  /** What it is, as the table shows it. */
  readonly name: string;
  /** What is aimed at: how many times the floor's time `@mate/core` may take. */
  readonly aim: number;
  /** Who does it: the floor first, then `@mate/core`, then its peers. */
  readonly contestants: readonly Contestant[];
  /** Raises where a result is not what the work asks for. */
  check(result: unknown): void;
}
