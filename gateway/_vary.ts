/**
 * Merges the request headers that a response was chosen by into a `Vary` field (RFC 9110 §12.5.5).
 *
 * @param vary What the caller says, if anything.
 * @param consulted What was consulted beyond that.
 * @returns The field value: the caller's names first, each name once, whatever its case; `*` alone where the
 * caller says so.
 */
export function mergeVary(vary: string | undefined, consulted: readonly string[]): string {
  if (vary === undefined) return consulted.join(", ");
  const names = new Map<string, string>();
  for (const part of [...vary.split(","), ...consulted]) {
    const name = part.trim();
    if (name === "*") return "*";
    const key = name.toLowerCase();
    if (name !== "" && !names.has(key)) names.set(key, name);
  }
  return [...names.values()].join(", ");
}
