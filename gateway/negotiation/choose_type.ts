import { isPlainObject } from "../../function/read.ts";
import { MemberScanner } from "./member_scanner.ts";

/** The type that is always available. */
export const JSON_TYPE = "application/json";

const ANY_TYPE = "*/*";

const STAR = 0x2a;
const SLASH = 0x2f;

const ONLY_JSON: readonly string[] = [JSON_TYPE];
const MEDIA_RANGE = /^(?:\*\/\*|[!#$%&'+.^`|~\w-]+\/(?:\*|[!#$%&'+.^`|~\w-]+))$/;

/**
 * The media types a response may have, in lower case: `application/json`, then those of custom transformers.
 *
 * @throws {TypeError} If the custom transformers are no plain object, or a key of theirs is no media type.
 */
export function availableTypes(
  customTransformers?: Readonly<Record<string, unknown>>,
): readonly string[] {
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
 * Chooses a media type for an `Accept` header (RFC 9110 §12.5.1), in time linear in its length.
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
  const header = accept.toLowerCase();
  const scanner = new MemberScanner(header);
  const candidates = types.map((type) => new Candidate(type));
  let place = 0;
  while (scanner.next()) {
    const { start, end, weight } = scanner;
    const specificity = specificityOf(header, start, end);
    for (const candidate of candidates) {
      if (candidate.matches(header, start, end, specificity)) {
        candidate.take(specificity, weight, place);
      }
    }
    place++;
  }
  if (place === 0) return anyOf(types);
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (candidate.weight > 0 && (best === undefined || candidate.isBetterThan(best))) {
      best = candidate;
    }
  }
  return best?.type;
}

function anyOf(types: readonly string[]): string {
  return types.includes(ANY_TYPE) ? ANY_TYPE : types[0]!;
}

/** 2 for a member that names a type, 1 for `type/*`, 0 for any type, which some write as a lone star. */
function specificityOf(header: string, start: number, end: number): number {
  if (header.charCodeAt(end - 1) !== STAR) return 2;
  if (end - start === 1) return 0;
  if (header.charCodeAt(end - 2) !== SLASH) return 2;
  return end - start === 3 && header.charCodeAt(start) === STAR ? 0 : 1;
}

/** A type that is available, and the most specific of the members that match it. */
class Candidate {
  readonly type: string;
  /** -1 where no member matches. */
  specificity = -1;
  weight = 0;
  place = 0;

  constructor(type: string) {
    this.type = type;
  }

  matches(header: string, start: number, end: number, specificity: number): boolean {
    const { type } = this;
    const length = end - start;
    if (specificity === 0) return type === ANY_TYPE || !isRange(type);
    if (specificity === 2 || isRange(type)) {
      return type.length === length && header.startsWith(type, start);
    }
    return type.startsWith(header.slice(start, end - 1)); // up to the slash
  }

  take(specificity: number, weight: number, place: number): void {
    if (specificity < this.specificity) return;
    if (specificity === this.specificity) {
      if (weight > this.weight) this.weight = weight;
      return;
    }
    this.specificity = specificity;
    this.weight = weight;
    this.place = place;
  }

  isBetterThan(other: Candidate): boolean {
    if (this.weight !== other.weight) return this.weight > other.weight;
    if (this.specificity !== other.specificity) return this.specificity > other.specificity;
    if (this.place !== other.place) return this.place < other.place;
    return isRange(this.type) && !isRange(other.type);
  }
}

function isRange(type: string): boolean {
  return type.charCodeAt(type.length - 1) === STAR && type.charCodeAt(type.length - 2) === SLASH;
}
