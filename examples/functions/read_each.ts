/** The outcome of an accessor: its result, or the error that it raised. */
export type Outcome = { readonly result: unknown } | { readonly error: string };

/** Calls each accessor, and returns the outcomes by the same names. If an accessor raises an error, the others still count. */
export function readEach(
  accessors: Readonly<Record<string, () => unknown>>,
): Record<string, Outcome> {
  const outcomes = Object.entries(accessors).map(([name, accessor]): [string, Outcome] => {
    try {
      return [name, { result: accessor() }];
    } catch (error) {
      return [name, { error: String(error) }];
    }
  });
  return Object.fromEntries(outcomes);
}
