/**
 * The characters that a reader can see: letters, marks, numbers, punctuation, symbols and spaces, and the two joiners that some
 * languages and emoji need. All others could control a terminal, turn the direction of a text, or hide in it.
 */
const VISIBLE = String.raw`\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\u200c\u200d\t\n`;

const HIDDEN = new RegExp(`[^${VISIBLE}]`, "gu");

/** The characters of a text that are not visible, except the white space of JSON. */
export const HIDDEN_CHARACTERS: RegExp = new RegExp(`[^${VISIBLE}\\r]`, "gu");

/** Replaces a line break by `↵`, and any other character that is not visible by its symbol or its number. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll(/\r\n|[\r\n\u2028\u2029]/g, " ↵ "));
}

/** Replaces any character that is not visible, except the line feed and the tab, by its symbol or its number. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(HIDDEN, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code < 0xa0 ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** Escapes the characters of JSON that are not visible, except the white space. They occur only in strings, so the values stay. */
export function visibleJson(json: string): string {
  return json.replaceAll(
    HIDDEN_CHARACTERS,
    (character) =>
      character.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
  );
}
