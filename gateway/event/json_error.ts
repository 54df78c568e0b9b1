/**
 * Finds where a text stops being JSON (RFC 8259): engines say it in different ways, if at all, and quote the text.
 *
 * @param text A text.
 * @returns The index of the first character that no JSON text with the same beginning can have; the length of
 * the text if it ends too early; `undefined` if it is JSON.
 */
export function findJsonError(text: string): number | undefined {
  const closers: string[] = []; // of the arrays and objects that are open: "]" or "}"
  let index = skipSpace(text, 0);
  while (true) {
    // Here a value begins.
    const first = text[index];
    if (first === "[" || first === "{") {
      const closer = first === "[" ? "]" : "}";
      index = skipSpace(text, index + 1);
      if (text[index] !== closer) {
        closers.push(closer);
        if (closer === "]") continue;
        index = skipName(text, index);
        if (index < 0) return ~index;
        continue;
      }
      index++;
    } else {
      index = skipScalar(text, index);
      if (index < 0) return ~index;
    }
    // Here a value has ended.
    index = skipSpace(text, index);
    while (closers.length > 0 && text[index] === closers.at(-1)) {
      closers.pop();
      index = skipSpace(text, index + 1);
    }
    if (closers.length === 0) return index === text.length ? undefined : index;
    if (text[index] !== ",") return index;
    index = skipSpace(text, index + 1);
    if (closers.at(-1) === "]") continue;
    index = skipName(text, index);
    if (index < 0) return ~index;
  }
}

/* Each of the following returns the index after what it skips or, where that is broken, `~index` of the error. */

function skipSpace(text: string, index: number): number {
  while (isOneOf(" \t\n\r", text[index])) index++;
  return index;
}

/** The name of a member, its colon, and the white space around. */
function skipName(text: string, index: number): number {
  if (text[index] !== '"') return ~index;
  index = skipString(text, index);
  if (index < 0) return index;
  index = skipSpace(text, index);
  return text[index] === ":" ? skipSpace(text, index + 1) : ~index;
}

function skipScalar(text: string, index: number): number {
  switch (text[index]) {
    case '"':
      return skipString(text, index);
    case "t":
      return skipWord(text, index, "true");
    case "f":
      return skipWord(text, index, "false");
    case "n":
      return skipWord(text, index, "null");
    default:
      return skipNumber(text, index);
  }
}

function skipWord(text: string, index: number, word: string): number {
  for (const letter of word) {
    if (text[index] !== letter) return ~index;
    index++;
  }
  return index;
}

function skipString(text: string, index: number): number {
  for (index++; index < text.length; index++) {
    const character = text[index]!;
    if (character === '"') return index + 1;
    if (character < " ") return ~index;
    if (character !== "\\") continue;
    index++;
    if (text[index] === "u") {
      for (let digits = 0; digits < 4; digits++) {
        if (!isOneOf("0123456789abcdefABCDEF", text[++index])) return ~index;
      }
    } else if (!isOneOf('"\\/bfnrt', text[index])) return ~index;
  }
  return ~index;
}

function skipNumber(text: string, index: number): number {
  if (text[index] === "-") index++;
  index = text[index] === "0" ? index + 1 : skipDigits(text, index);
  if (index >= 0 && text[index] === ".") index = skipDigits(text, index + 1);
  if (index >= 0 && isOneOf("eE", text[index])) {
    index++;
    index = skipDigits(text, isOneOf("+-", text[index]) ? index + 1 : index);
  }
  return index;
}

function skipDigits(text: string, index: number): number {
  const start = index;
  while (isOneOf("0123456789", text[index])) index++;
  return index === start ? ~index : index;
}

function isOneOf(characters: string, character: string | undefined): boolean {
  return character !== undefined && characters.includes(character);
}
