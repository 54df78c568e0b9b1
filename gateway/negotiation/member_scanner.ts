const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const LOWER_Q = 0x71;

/** The code after the last character. */
const END = -1;
/** The bit by which a small letter differs from a capital letter. */
const SMALL = 0x20;
/**
 * Walks over the members of a header of weighted preferences (RFC 9110 section 12.4.2), from left to right, in time linear
 * in the length of the header.
 *
 * After `next()` has returned true, `name()`, `value()` and `weight` describe one member.
 */
export class MemberScanner {
  /** The weight of the member in thousandths, from 0 to 1000: whole numbers compare without rounding. */
  weight = 0;

  readonly #header: string;
  #start = 0;
  #end = 0; // of the first part: `text/html` in `text/html;level=1;q=0.5`
  #parameters = ""; // without the weight: `;level=1`
  #position = 0;

  constructor(header: string) {
    this.#header = header;
  }

  /** The first part of the member in lower case: `text/html` in `Text/HTML;level=1;q=0.5`. */
  name(): string {
    return this.#header.slice(this.#start, this.#end).toLowerCase();
  }

  /** The member without its weight and without optional white space: `Text/HTML;level=1`. */
  value(): string {
    return this.#header.slice(this.#start, this.#end) + this.#parameters;
  }

  /** Goes to the next member that has a value. Returns false at the end of the header. */
  next(): boolean {
    const header = this.#header;
    while (this.#position < header.length) {
      this.#start = skipSpace(header, this.#position);
      const position = skipPart(header, this.#start);
      this.#end = trimEnd(header, this.#start, position);
      this.#position = this.#scanParameters(position) + 1;
      if (this.#end > this.#start) return true;
    }
    return false;
  }

  /** Reads parameters up to the end of the member, whose position it returns. */
  #scanParameters(position: number): number {
    const header = this.#header;
    this.weight = 1000;
    this.#parameters = "";
    let isWeighted = false;
    while (codeAt(header, position) === SEMICOLON) {
      const start = skipSpace(header, position + 1);
      const afterName = skipSpace(header, start + 1);
      const next = codeAt(header, afterName);
      const isWeight = (codeAt(header, start) | SMALL) === LOWER_Q &&
        (next === EQUALS || isDelimiter(next));
      if (isWeight) {
        const { weight } = this;
        position = this.#scanWeight(afterName);
        if (isWeighted) this.weight = weight; // of several weights the first counts
        isWeighted = true;
      } else {
        position = skipPart(header, start);
        const end = trimEnd(header, start, position);
        if (end > start) this.#parameters += `;${header.slice(start, end)}`;
      }
    }
    return position;
  }

  /**
   * Reads a weight after its name: `=0` or `=1` with up to three decimals, or the decimals alone. Any other weight is 0.
   *
   * @returns The position after the parameter.
   */
  #scanWeight(position: number): number {
    const header = this.#header;
    let weight = 0;
    if (codeAt(header, position) === EQUALS) {
      position = skipSpace(header, position + 1);
      const first = codeAt(header, position) - ZERO;
      if (first === 0 || first === 1) {
        weight = first * 1000;
        position++;
      }
      if (codeAt(header, position) === DOT) {
        position++;
        for (let unit = 100; unit > 0; unit = Math.trunc(unit / 10)) {
          const digit = codeAt(header, position) - ZERO;
          if (digit < 0 || digit > 9) break;
          weight += digit * unit;
          position++;
        }
      }
      position = skipSpace(header, position);
    }
    const isWhole = isDelimiter(codeAt(header, position));
    this.weight = isWhole && weight <= 1000 ? weight : 0;
    return isWhole ? position : skipPart(header, position);
  }
}

function codeAt(header: string, position: number): number {
  return position < header.length ? header.charCodeAt(position) : END;
}

/** Tells whether a code ends a part. */
function isDelimiter(code: number): boolean {
  return code === COMMA || code === SEMICOLON || code === END;
}

/** The position of the next comma or semicolon outside quoted strings, or the end of the header. */
function skipPart(header: string, position: number): number {
  let isQuoted = false;
  for (;; position++) {
    const code = codeAt(header, position);
    if (code === END || !isQuoted && isDelimiter(code)) return Math.min(position, header.length);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (code === BACKSLASH && isQuoted) position++;
  }
}

function skipSpace(header: string, position: number): number {
  while (isSpace(codeAt(header, position))) position++;
  return position;
}

function trimEnd(header: string, start: number, end: number): number {
  while (end > start && isSpace(header.charCodeAt(end - 1))) end--;
  return end;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}
