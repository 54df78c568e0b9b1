import leven from "leven";

/**
 * Finds the word that was probably meant.
 *
 * @returns The right word that differs least; `undefined` if every word differs in more than a third of its letters.
 */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((candidate) => ({ candidate, distance: leven(word.toLowerCase(), candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.ceil(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}
