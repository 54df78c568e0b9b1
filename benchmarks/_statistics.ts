/** Where the middle half of some numbers lies. */
export interface Spread {
  /** The first quartile. */
  readonly low: number;
  /** The median. */
  readonly median: number;
  /** The third quartile. */
  readonly high: number;
}

/** The quartiles of some numbers, of which there is at least one. */
export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b);
  return {
    low: quantile(sorted, 0.25),
    median: quantile(sorted, 0.5),
    high: quantile(sorted, 0.75),
  };
}

/** Between two neighbours where the fraction falls between them. */
function quantile(sorted: readonly number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const below = Math.floor(position);
  const lower = sorted[below];
  if (lower === undefined) throw new RangeError("Cannot find the quartiles: there are no numbers");
  const upper = sorted[below + 1] ?? lower;
  return lower + (upper - lower) * (position - below);
}

/** The items in an order of chance (Fisher and Yates). */
export function shuffled<T>(items: readonly T[]): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const chosen = Math.floor(Math.random() * (last + 1));
    [result[last], result[chosen]] = [result[chosen]!, result[last]!];
  }
  return result;
}
