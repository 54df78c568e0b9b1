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

/**
 * Tells whether one text can match a number of prefixes of wildcards, or more. Each prefix is a state in which the engine of
 * Amazon EventBridge has to be at the same time, so the service limits their number.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */
export function isComplex(wildcards: readonly string[], limit: number): boolean {
  // The engine matches the JSON text of a value, with its quotes.
  const patterns = wildcards.map((text) => [`"`, ...text.match(/\\[*\\]|[^]/g) ?? [], `"`]);
  const alphabet = new Set(patterns.flat().filter((token) => token !== "*"));
  const start = patterns.map(() => [0]);
  const seen = new Set<string>();
  const waiting = [start];
  for (let states = waiting.pop(); states !== undefined; states = waiting.pop()) {
    for (const character of alphabet) {
      const next = states.map((lengths, index) => advance(patterns[index]!, lengths, character));
      const count = next.reduce((sum, lengths) => sum + lengths.length, 0);
      const key = next.join("|");
      if (count === 0 || seen.has(key)) continue;
      if (count >= limit) return true; // Without an end here, the sets of many wildcards would be too many to look at.
      seen.add(key);
      waiting.push(next);
    }
  }
  return false;
}

/** Returns the lengths of the prefixes that match after one more character. A wildcard may stand for nothing. */
function advance(
  pattern: readonly string[],
  lengths: readonly number[],
  character: string,
): number[] {
  const next = new Set<number>();
  for (const length of lengths) {
    if (pattern[length - 1] === "*") next.add(length);
    if (pattern[length] === character) {
      next.add(length + 1);
      if (pattern[length + 1] === "*") next.add(length + 2);
    }
  }
  return [...next].sort((a, b) => a - b);
}
