/** Writes attribute values as text. Equal items give equal texts, whatever the order of attributes and of sets. */
export function canonicalItem(item: unknown): string {
  return JSON.stringify(
    item,
    (key, value) =>
      /^[SNB]S$/.test(key) && Array.isArray(value)
        ? value.toSorted()
        : typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1))
        : value,
  );
}
