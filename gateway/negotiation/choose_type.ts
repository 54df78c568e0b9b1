import { invalid } from "../../function/read.ts";
import { type Member, readMembers } from "./members.ts";

/** The type that is always available. */
export const JSON_TYPE = "application/json";

const ANY_TYPE = "*/*";

const MEDIA_RANGE = /^(?:\*\/\*|[!#$%&'+.^`|~\w-]+\/(?:\*|[!#$%&'+.^`|~\w-]+))$/;

/**
 * Returns a media type or range of an option in lower case.
 *
 * @throws {TypeError} If it is neither.
 */
export function checkType(type: string, kind: "key" | "item", option: string): string {
  if (MEDIA_RANGE.test(type)) return type.toLowerCase();
  const what = `${kind} ${JSON.stringify(type)} in ${option}`;
  throw invalid(what, "a media type such as text/html");
}

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
  const ranges = readMembers(accept || ANY_TYPE, toRange);
  if (ranges.length === 0) ranges.push({ value: ANY_TYPE, weight: 1000 });
  let best: Match | undefined;
  for (const type of types) {
    const match = findMatch(type, ranges, types);
    if (match && match.weight > 0 && !(best && isBetter(best, match))) best = match;
  }
  return best?.type;
}

/** A bare `*` stands for any type. */
function toRange(name: string): string {
  return name === "*" ? ANY_TYPE : name.toLowerCase();
}

/** A type with the most specific range that matches it. */
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
): Match | undefined {
  const family = `${type.slice(0, type.indexOf("/"))}/*`;
  for (const name of type.endsWith("/*") ? [type] : [type, family, ANY_TYPE]) {
    const place = ranges.findIndex(({ value }) => value === name);
    if (place < 0) continue;
    if (name !== type && types.includes(name)) return undefined;
    const specificity = name === ANY_TYPE ? 0 : name === family ? 1 : 2;
    return { type, weight: ranges[place]!.weight, specificity, place };
  }
}

function isBetter(a: Match, b: Match): boolean {
  const order = a.weight - b.weight || a.specificity - b.specificity || b.place - a.place;
  return order >= 0;
}
