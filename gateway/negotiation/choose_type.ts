import { isPlainObject } from "../../function/read.ts";
import { readWeights } from "./weights.ts";

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
  if (!isPlainObject(customTransformers)) {
    throw new TypeError("Invalid customTransformers: expected a plain object");
  }
  const keys = Object.keys(customTransformers);
  const invalid = keys.find((key) => !MEDIA_RANGE.test(key));
  if (invalid !== undefined) {
    const name = JSON.stringify(invalid);
    throw new TypeError(
      `Invalid key ${name} in customTransformers: expected a media type such as text/html`,
    );
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
  const weights = readWeights(
    accept || ANY_TYPE,
    (scanner) => scanner.name() === "*" ? ANY_TYPE : scanner.name(),
  );
  if (weights.size === 0) weights.set(ANY_TYPE, 1);
  const places = [...weights.keys()];
  const matches = types.flatMap((type) => {
    const family = `${type.slice(0, type.indexOf("/"))}/*`;
    const ranges = type.endsWith("/*") ? [type] : [type, family, ANY_TYPE];
    const range = ranges.find((range) => weights.has(range));
    if (range === undefined || range !== type && types.includes(range)) return [];
    const specificity = range === ANY_TYPE ? 0 : range.endsWith("/*") ? 1 : 2;
    return [{ type, weight: weights.get(range)!, specificity, place: places.indexOf(range) }];
  });
  const [best] = matches.filter(({ weight }) => weight > 0).sort((a, b) =>
    b.weight - a.weight || b.specificity - a.specificity || a.place - b.place
  );
  return best?.type;
}
