/**
 * Returns the word that differs least from a mistyped word, or `undefined` if all words differ in more than a third of their
 * letters. This is not a package, because it runs before the permissions of the tool are limited.
 */
export function nearest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of words) {
    const distance = distanceOf(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least && distance <= Math.max(1, Math.ceil(candidate.length / 3))) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** Suggests the nearest word. If no word is near, returns the other hint. */
export function hintOf(
  word: string,
  words: readonly string[],
  other: string = `expected one of ${words.join(", ")}`,
): string {
  const near = nearest(word, words);
  return near === undefined ? other : `did you mean "${near}"?`;
}

/** Counts the letters to insert, delete, replace or swap (the distance of Damerau and Levenshtein, restricted). */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const swap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
        ? rows[row - 2]![column - 2]! + 1
        : Infinity;
      rows[row]![column] = Math.min(
        rows[row - 1]![column]! + 1,
        rows[row]![column - 1]! + 1,
        rows[row - 1]![column - 1]! + (isSame ? 0 : 1),
        swap,
      );
    }
  }
  return rows[a.length]![b.length]!;
}

/** The user asked for something wrong: the message names the word of the command line. The tool exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
