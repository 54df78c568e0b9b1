/** Percent-decodes a text as UTF-8. A text with a malformed escape gives `undefined`. */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
