import { type Member, readMembers } from "./members.ts";

/** The type that is always available. */
export const JSON_TYPE = "application/json";

const ANY_TYPE = "*/*";

/**
 * Chooses a media type for an `Accept` header (RFC 9110 section 12.5.1).
 *
 * The highest quality wins. Then the more specific match wins, then the order of the header, then the order of the
 * available types. An available range, such as `image/*`, serves only the member that is equal to it; this member then
 * matches no type within the range.
 *
 * @param accept The value of the header. An absent header and a header without members stand for any type.
 * @param types The available types, in lower case.
 * @returns The type, or `undefined` if no type is acceptable.
 */
export function chooseType(
  accept: string | undefined,
  types: readonly string[],
): string | undefined {
  // Most programs accept one type, and to read a list takes much longer.
  if (accept !== undefined && types.includes(accept)) return accept;
  const ranges = readMembers(accept ?? "", toRange);
  if (ranges.length === 0) ranges.push({ value: ANY_TYPE, weight: 1000 });
  const matches = types.flatMap((type) => findMatch(type, ranges, types));
  matches.sort((a, b) => b.weight - a.weight || b.specificity - a.specificity || a.place - b.place);
  return matches[0]?.type;
}

/** A bare `*` stands for any type. */
function toRange(name: string): string {
  return name === "*" ? ANY_TYPE : name.toLowerCase();
}

/** An acceptable type with the most specific range that matches it. */
interface Match {
  readonly type: string;
  readonly weight: number;
  /** How much the range narrows: 0 for any type, 1 for a family such as `image/*`, 2 for one type. */
  readonly specificity: number;
  readonly place: number;
}

function findMatch(
  type: string,
  ranges: readonly Member[],
  types: readonly string[],
): Match | [] {
  const family = `${type.slice(0, type.indexOf("/"))}/*`;
  for (const name of type.endsWith("/*") ? [type] : [type, family, ANY_TYPE]) {
    const place = ranges.findIndex(({ value }) => value === name);
    if (place < 0) continue;
    const { weight } = ranges[place]!;
    if (weight === 0 || (name !== type && types.includes(name))) break;
    const specificity = name === ANY_TYPE ? 0 : name === family ? 1 : 2;
    return { type, weight, specificity, place };
  }
  return [];
}
