/** The text of any value. It never throws. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "[Unreadable]"; // for example an object without a prototype
  }
}

/** Reads a property. If the read throws, the result is a text with the reason. */
export function readProperty(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch (thrown) {
    return `[Unreadable: ${textOf(thrown)}]`;
  }
}

/** The name of a function or a class. */
export function nameOf(value: unknown, unnamed = "anonymous"): string {
  return textOf(typeof value === "function" && readProperty(value, "name") || unnamed);
}

/** The first characters of a text. If the text is longer, the result says how much was cut. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length)}… [cut: ${text.length - length} more]`;
}

/** Tells whether a value is a plain object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
