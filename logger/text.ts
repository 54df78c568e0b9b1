/** The text of any value, also of one whose conversion throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "[Unreadable]"; // such as an object without a prototype
  }
}
