/**
 * Merges the request headers that a response was chosen by into a `Vary` field (RFC 9110 §12.5.5).
 *
 * @param vary What the caller says, if anything.
 * @param consulted What was consulted, as a field value.
 * @returns The field value: the caller's names first, each name once, whatever its case; `*` alone where the
 * caller says so.
 */
export function mergeVary(vary: string | undefined, consulted: string): string {
  if (vary === undefined) return consulted;
  const names = new Map<string, string>();
  for (const part of `${vary},${consulted}`.split(",")) {
    const name = part.trim();
    if (name === "*") return "*";
    const key = name.toLowerCase();
    if (name !== "" && !names.has(key)) names.set(key, name);
  }
  return [...names.values()].join(", ");
}
