/** One request of a client, as one value saw it. The times only order the requests. */
export interface Step {
  readonly start: number;
  readonly end: number;
  /** Whether the request got no answer. Then it may have happened, or not. */
  readonly isOptional?: boolean;
  /** Returns the possible values after the request. None means that the value before contradicts the answer. */
  readonly apply: (value: string) => Iterable<string>;
  /** What a message shows. */
  readonly shown: string;
}

/**
 * Finds an order of requests that explains all answers, as if one request came after the other.
 *
 * @param initial The possible values before.
 * @returns The possible values after. If there are none, no order explains the answers.
 * @see Wing and Gong, "Testing and Verifying Concurrent Objects", 1993
 */
export function explain(steps: readonly Step[], initial: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const visited = new Set<string>();
  const explore = (left: bigint, value: string) => {
    const place = `${left} ${value}`;
    if (visited.has(place)) return;
    visited.add(place);
    const open = steps.map((step, index) => [step, 1n << BigInt(index)] as const)
      .filter(([, bit]) => (left & bit) !== 0n);
    const answered = open.filter(([{ isOptional }]) => !isOptional);
    if (answered.length === 0) found.add(value);
    const firstEnd = Math.min(...answered.map(([{ end }]) => end));
    for (const [{ start, apply }, bit] of open) {
      if (start > firstEnd) continue; // This request began after another one had ended.
      for (const next of apply(value)) explore(left & ~bit, next);
    }
  };
  for (const value of initial) explore((1n << BigInt(steps.length)) - 1n, value);
  return found;
}
