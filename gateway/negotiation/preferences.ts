import { type Member, readMembers } from "./members.ts";

/** One member of a header such as `Accept-Language`, with its weight (RFC 9110 section 12.4.2). */
export interface Preference {
  /** The value, with its parameters except the weight: `text/html;level=1`. */
  readonly value: string;
  /** The weight from 0 to 1 in steps of 0.001. The client refuses a value of quality 0. */
  readonly quality: number;
}

/**
 * Parses a header of weighted preferences (RFC 9110 section 12.4.2).
 *
 * @param header The value of the header.
 * @returns All members by decreasing quality. The refused members, of quality 0, come last. Members of equal quality keep
 * their order in the header. A repeated value keeps its first place and its highest quality.
 */
export function parsePreferences(header: string): Preference[] {
  return sort(header).map(({ value, weight }) => ({ value, quality: weight / 1000 }));
}

/** Parses the values alone, in the order of {@linkcode parsePreferences}. */
export function sortedValues(header: string): string[] {
  return sort(header).map(({ value }) => value);
}

function sort(header: string): Member[] {
  return readMembers(header, false).sort((a, b) => b.weight - a.weight);
}
