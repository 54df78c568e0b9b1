import { isPlainObject } from "../function/_read.ts";
import { ANY_TYPE, type MediaRange, MediaRanges } from "./_media_ranges.ts";
import type { CustomTransformers } from "./transformer.ts";

/** The type that is always available. */
export const JSON_TYPE = "application/json";

const ONLY_JSON: readonly string[] = [JSON_TYPE];
const MEDIA_RANGE = /^(?:\*\/\*|[!#$%&'+.^`|~\w-]+\/(?:\*|[!#$%&'+.^`|~\w-]+))$/;

/**
 * The media types a response may have, in lower case: `application/json`, then those of custom transformers.
 *
 * @throws {TypeError} If the custom transformers are no plain object, or a key of theirs is no media type.
 */
export function availableTypes(customTransformers?: CustomTransformers): readonly string[] {
  if (customTransformers === undefined) return ONLY_JSON;
  if (!isPlainObject(customTransformers)) {
    throw new TypeError("Cannot read the custom transformers: expected a plain object");
  }
  const types = [JSON_TYPE];
  for (const key of Object.keys(customTransformers)) {
    if (!MEDIA_RANGE.test(key)) {
      const name = JSON.stringify(key);
      throw new TypeError(`Cannot read the custom transformers: ${name} is no media type`);
    }
    const type = key.toLowerCase();
    if (type !== JSON_TYPE) types.push(type);
  }
  return types;
}

/**
 * Chooses a media type for an `Accept` header (RFC 9110 §12.5.1), in time linear in both.
 *
 * The highest quality wins; then the more specific match; then the order of the header; then that of the
 * available types. An available range, such as `image/*`, matches only the member equal to it, and takes
 * that from the types within.
 *
 * @param accept The field value; absent or without members, it stands for any type.
 * @param types The available types, in lower case.
 * @returns The type, or `undefined` where none is acceptable.
 */
export function chooseType(
  accept: string | undefined,
  types: readonly string[],
): string | undefined {
  if (accept === undefined || accept === "" || accept === ANY_TYPE) return anyOf(types);
  if (types.includes(accept)) return accept; // what a program asks for
  const ranges = new MediaRanges();
  const candidates = types.map((type) => new Candidate(type, ranges));
  if (!ranges.weigh(accept.toLowerCase())) return anyOf(types);
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    candidate.decide(ranges.any);
    if (candidate.weight > 0 && (best === undefined || candidate.isBetterThan(best))) {
      best = candidate;
    }
  }
  return best?.type;
}

function anyOf(types: readonly string[]): string {
  return types.includes(ANY_TYPE) ? ANY_TYPE : types[0]!;
}

/** A type that is available, and how well it matches. */
class Candidate {
  readonly type: string;
  readonly isRange: boolean;
  readonly exact: MediaRange;
  readonly family: MediaRange | undefined;
  weight = 0;
  place = 0;
  /** 2 where the header names the type, 1 where `type/*` matches, 0 where any type does. */
  specificity = 0;

  constructor(type: string, ranges: MediaRanges) {
    this.type = type;
    this.isRange = type.endsWith("/*");
    this.exact = ranges.add(type);
    this.family = this.isRange
      ? undefined
      : ranges.add(type === JSON_TYPE ? "application/*" : type.slice(0, type.indexOf("/")) + "/*");
  }

  /** Lets the most specific range that the header names decide. */
  decide(any: MediaRange): void {
    let range = this.exact;
    this.specificity = this.type === ANY_TYPE ? 0 : this.isRange ? 1 : 2;
    if (this.family !== undefined && range.weight < 0) {
      range = this.family;
      this.specificity = 1;
      if (range.weight < 0) {
        range = any;
        this.specificity = 0;
      }
    }
    this.weight = range.weight;
    this.place = range.place;
  }

  isBetterThan(other: Candidate): boolean {
    if (this.weight !== other.weight) return this.weight > other.weight;
    if (this.specificity !== other.specificity) return this.specificity > other.specificity;
    if (this.place !== other.place) return this.place < other.place;
    return this.isRange && !other.isRange;
  }
}
