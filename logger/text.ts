/** The text of any value, even if the conversion of that value throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "[Unreadable]"; // such as an object without a prototype
  }
}

/** Reads a property. If the read throws, the result is a text that says why. */
export function readProperty(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch (thrown) {
    return `[Unreadable: ${textOf(thrown)}]`;
  }
}

/** The name of a function or a class. */
export function nameOf(value: unknown): string {
  const name = typeof value === "function" ? readProperty(value, "name") : undefined;
  return typeof name === "string" && name !== "" ? cutText(name, 200) : "anonymous";
}

/** The first characters of a text. If the text is longer, the result says how much was cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const isWithinPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  const end = isWithinPair ? length - 1 : length;
  return `${text.slice(0, end)}… [cut: ${text.length - end} more characters]`;
}
