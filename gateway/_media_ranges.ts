import { MemberScanner } from "./_member_scanner.ts";

/** A media range (RFC 9110 §12.5.1), and what an `Accept` header says about it. */
export interface MediaRange {
  /** The range in lower case, without parameters: `text/html`, `text/*`, or any type. */
  readonly name: string;
  /** Its highest weight, in thousandths; -1 where the header does not name it. */
  weight: number;
  /** Which of the header's members names it first. */
  place: number;
}

/** The range of all types. */
export const ANY_TYPE = "*/*";

const STAR = 0x2a;

/** Up to so many ranges are compared one after the other, without a substring; more are looked up. */
const FEW = 12;

/** The ranges that matter for the types available; others in a header are passed over. */
export class MediaRanges {
  /** The range of all types. */
  readonly any: MediaRange = { name: ANY_TYPE, weight: -1, place: 0 };
  readonly #list: MediaRange[] = [this.any];
  #byName: Map<string, MediaRange> | undefined;

  /** Adds a range, unless it is there. */
  add(name: string): MediaRange {
    const known = this.#find(name, 0, name.length);
    if (known !== undefined) return known;
    const range = { name, weight: -1, place: 0 };
    this.#list.push(range);
    if (this.#byName !== undefined) this.#byName.set(name, range);
    else if (this.#list.length > FEW) {
      this.#byName = new Map(this.#list.map((range) => [range.name, range]));
    }
    return range;
  }

  /**
   * Takes over what a header says about the ranges, in one pass.
   *
   * @param accept The field value in lower case.
   * @returns False if the header has no members.
   */
  weigh(accept: string): boolean {
    const scanner = new MemberScanner(accept);
    let place = 0;
    while (scanner.next()) {
      place++;
      const range = this.#find(accept, scanner.start, scanner.end);
      if (range === undefined || scanner.weight <= range.weight) continue;
      if (range.weight < 0) range.place = place;
      range.weight = scanner.weight;
    }
    return place > 0;
  }

  #find(text: string, start: number, end: number): MediaRange | undefined {
    const length = end - start;
    if (length === 1 && text.charCodeAt(start) === STAR) return this.any;
    if (this.#byName !== undefined) return this.#byName.get(text.slice(start, end));
    for (const range of this.#list) {
      if (range.name.length === length && text.startsWith(range.name, start)) return range;
    }
    return undefined;
  }
}
