/** What an accessor gave: its result, or the error it raised. */
export type Outcome = { readonly result: unknown } | { readonly error: string };

/** What several accessors gave, by the call. */
export type Outcomes = Readonly<Record<string, Outcome>>;

// A caller decides how deeply a body nests, and indented JSON grows with the square of that: 20 kB of brackets
// become 200 MB.
const LIMIT = 1_000_000;

/**
 * Calls accessors, each on its own: one that raises hides no other.
 *
 * @param accessors The calls, by what they are to be named.
 */
export function readEach(accessors: Readonly<Record<string, () => unknown>>): Outcomes {
  const outcomes: Record<string, Outcome> = {};
  for (const [call, accessor] of Object.entries(accessors)) {
    try {
      const result = accessor();
      outcomes[call] = indentedLength(result) > LIMIT
        ? { error: `Cannot show the result: its JSON has over ${LIMIT} characters` }
        : { result };
    } catch (error) {
      outcomes[call] = { error: String(error) };
    }
  }
  return outcomes;
}

/** About how many characters a value has as indented JSON; stops counting, and descending, beyond the limit. */
function indentedLength(value: unknown, indent = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let length = indent + 2;
  for (const [key, member] of Object.entries(value)) {
    if (length > LIMIT) break;
    length += indent + key.length + indentedLength(member, indent + 2);
  }
  return length;
}
