/** The outcome of an accessor: its result, or the error that it raised. */
export type Outcome = { readonly result: unknown } | { readonly error: string };

/** Calls each accessor, and returns the outcomes by the same names. If an accessor raises an error, the others still count. */
export async function readEach(
  accessors: Readonly<Record<string, () => unknown>>,
): Promise<Record<string, Outcome>> {
  const outcomes: Record<string, Outcome> = {};
  for (const [name, accessor] of Object.entries(accessors)) {
    try {
      outcomes[name] = { result: await accessor() };
    } catch (error) {
      outcomes[name] = { error: String(error) };
    }
  }
  return outcomes;
}
