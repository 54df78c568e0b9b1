/** What holds on every runtime: names, and functions that throw where it does not. */
export type Cases = Readonly<Record<string, () => void | Promise<void>>>;
