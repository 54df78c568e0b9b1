/** Replaces a line break by `↵`, and any other control character except the tab by its symbol. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll(/\r\n|[\r\n\u2028\u2029]/g, " ↵ "));
}

/** Replaces any control character except the line feed and the tab by its symbol. So no text can control a terminal. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(/[^\P{Cc}\t\n]/gu, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\u2421";
  });
}

/** Escapes the control characters of JSON except the white space. They occur only in strings, so the values stay. */
export function visibleJson(json: string): string {
  return json.replaceAll(
    /[^\P{Cc}\t\r\n]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
