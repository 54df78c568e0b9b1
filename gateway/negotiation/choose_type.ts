import { invalid, isPlainObject } from "../../function/read.ts";
import { type Member, readMembers } from "./members.ts";

/** The type that is always available. */
export const JSON_TYPE = "application/json";

const ANY_TYPE = "*/*";

const MEDIA_RANGE = /^(?:\*\/\*|[!#$%&'+.^`|~\w-]+\/(?:\*|[!#$%&'+.^`|~\w-]+))$/;

/**
 * Lists the media types that a response may have, in lower case: `application/json` and the types of the transformers.
 *
 * @throws {TypeError} If the custom transformers are not a plain object, or if a key is not a media type.
 */
export function availableTypes(
  customTransformers: Readonly<Record<string, unknown>> = {},
): readonly string[] {
  if (!isPlainObject(customTransformers)) throw invalid("customTransformers", "a plain object");
  const keys = Object.keys(customTransformers);
  for (const key of keys) {
    if (MEDIA_RANGE.test(key)) continue;
    const what = `key ${JSON.stringify(key)} in customTransformers`;
    throw invalid(what, "a media type such as text/html");
  }
  return [...new Set([JSON_TYPE, ...keys.map((key) => key.toLowerCase())])];
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
  const ranges = readMembers(accept || ANY_TYPE, true);
  if (ranges.length === 0) ranges.push({ value: ANY_TYPE, weight: 1000 });
  return types.flatMap((type) => matchType(type, ranges, types) ?? [])
    .filter(({ weight }) => weight > 0)
    .sort(compare)[0]?.type;
}

interface Match {
  readonly type: string;
  readonly weight: number;
  readonly specificity: number;
  readonly place: number;
}

/** Finds the most specific range that matches a type. */
function matchType(
  type: string,
  ranges: readonly Member[],
  types: readonly string[],
): Match | undefined {
  const family = `${type.slice(0, type.indexOf("/"))}/*`;
  for (const [index, name] of (type.endsWith("/*") ? [type] : [type, family, ANY_TYPE]).entries()) {
    const isMatch = ({ value }: Member) => value === name || value === "*" && name === ANY_TYPE;
    const place = ranges.findIndex(isMatch);
    if (place < 0) continue;
    if (index > 0 && types.includes(name)) return undefined;
    const specificity = name === ANY_TYPE ? 0 : name === family ? 1 : 2;
    return {
      type,
      weight: Math.max(...ranges.filter(isMatch).map(({ weight }) => weight)),
      specificity,
      place,
    };
  }
}

function compare(a: Match, b: Match): number {
  return b.weight - a.weight || b.specificity - a.specificity || a.place - b.place;
}
