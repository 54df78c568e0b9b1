import type { Manifest, Triggers } from "./types.ts";

/** A value that is wrong because of another value. */
export interface Conflict {
  /** The keys that lead to the value. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Lists the triggers of a kind, with their functions and the keys that lead to them. */
export function triggersOf<K extends Exclude<keyof Triggers, "url">>(
  { functions }: Manifest,
  kind: K,
) {
  return Object.entries(functions).flatMap(([owner, { triggers }]) =>
    triggers[kind].map((trigger, index) => ({
      owner,
      trigger: trigger as Triggers[K][number],
      path: ["functions", owner, "triggers", kind, index],
    }))
  );
}
