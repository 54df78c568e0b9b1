/** Stands for any characters, and for none. */
export const ANY = Symbol("*");

/** Stands for one character. */
export const ONE = Symbol("?");

/** A pattern, one member for each character. */
export type Wildcard = readonly (string | typeof ANY | typeof ONE)[];

/**
 * Tells whether a text matches a pattern. The number of steps is at most the length of the text times the length of the
 * pattern: if a character does not match, only the last `ANY` takes one character more.
 */
export function matchesWildcard(pattern: Wildcard, text: string): boolean {
  let index = 0;
  let lastAny = -1;
  let taken = 0; // The end of the characters that the last `ANY` stands for.
  for (let at = 0; at < text.length;) {
    const wanted = pattern[index];
    if (wanted === ANY) {
      lastAny = index++;
      taken = at;
    } else if (wanted === ONE || wanted === text[at]) {
      index++;
      at++;
    } else if (lastAny >= 0) {
      index = lastAny + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  while (pattern[index] === ANY) index++;
  return index === pattern.length;
}
