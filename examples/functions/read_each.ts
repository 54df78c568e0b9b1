/** The outcome of an accessor: its result, or the error that it raised. */
export type Outcome = { readonly result: unknown } | { readonly error: string };

/**
 * Calls each accessor. An accessor that raises an error does not hide the others.
 *
 * @param accessors The calls by their names.
 * @returns The outcomes by the same names.
 */
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
