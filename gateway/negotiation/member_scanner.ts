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

/** What stands after the last character. */
const END = -1;
/** The bit that tells a small letter from a capital one. */
const SMALL = 0x20;
/** The weight of a member without one, in thousandths. */
const DEFAULT_WEIGHT = 1000;

/**
 * Walks over the members of a header of weighted preferences (RFC 9110 §12.4.2), one at a time, from left to
 * right, in time linear in the length of the header.
 *
 * After `next()` has returned true, the fields tell about one member. They are positions, so that whoever
 * only compares needs no substring.
 */
export class MemberScanner {
  /** The field value that is scanned. */
  readonly header: string;
  /** Where the member starts. */
  start = 0;
  /** Where its first part ends: `text/html` in `text/html;level=1;q=0.5`. */
  end = 0;
  /** Its weight in thousandths, 0 to 1000: whole numbers, which compare and sort without rounding. */
  weight = 0;

  #position = 0;
  // `value()` is the header from `start` to `#valueEnd`, and then what stands apart from that: parameters
  // after white space, an empty parameter or the weight.
  #valueEnd = 0;
  #apart = "";

  constructor(header: string) {
    this.header = header;
  }

  /** The member without its weight and without optional white space. */
  value(): string {
    const value = this.header.slice(this.start, this.#valueEnd);
    return this.#apart === "" ? value : value + this.#apart;
  }

  /** Goes to the next member that names a value; false at the end of the header. */
  next(): boolean {
    const { header } = this;
    let position = this.#position;
    for (;;) {
      const code = codeAt(header, position);
      if (code === COMMA || isSpace(code)) position++;
      else if (code === SEMICOLON) position = skipPart(header, position + 1); // parameters of nothing
      else if (code !== END) break;
      else {
        this.#position = position;
        return false;
      }
    }
    this.start = position;
    position = skipPart(header, position);
    this.end = this.#valueEnd = trimEnd(header, this.start, position);
    this.weight = DEFAULT_WEIGHT;
    this.#apart = "";
    this.#position = codeAt(header, position) === SEMICOLON
      ? this.#scanParameters(position)
      : position;
    return true;
  }

  /** Reads parameters from the semicolon at `position`; returns where the member ends. */
  #scanParameters(position: number): number {
    const { header } = this;
    let isWeighted = false;
    while (codeAt(header, position) === SEMICOLON) {
      const start = skipSpace(header, position + 1);
      if ((codeAt(header, start) | SMALL) === LOWER_Q) {
        const afterName = skipSpace(header, start + 1);
        const next = codeAt(header, afterName);
        if (next === EQUALS || isDelimiter(next)) {
          const { weight } = this;
          position = this.#scanWeight(afterName);
          if (isWeighted) this.weight = weight; // of several the first counts
          isWeighted = true;
          continue;
        }
      }
      position = skipPart(header, start);
      const end = trimEnd(header, start, position);
      if (start === end) continue; // an empty parameter
      if (start === this.#valueEnd + 1 && this.#apart === "") this.#valueEnd = end;
      else this.#apart += `;${header.slice(start, end)}`;
    }
    return position;
  }

  /**
   * Reads a weight from after its name: `=0`, `=1`, either with up to three decimals, or these alone. Whatever
   * is outside the grammar weighs nothing.
   *
   * @returns Where the parameter ends.
   */
  #scanWeight(position: number): number {
    const { header } = this;
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
  // The engine takes its slow path for a position after the end.
  return position < header.length ? header.charCodeAt(position) : END;
}

/** Whether a part ends here. */
function isDelimiter(code: number): boolean {
  return code === COMMA || code === SEMICOLON || code === END;
}

/** The position of the next comma or semicolon outside quoted strings, or the end of the header. */
function skipPart(header: string, position: number): number {
  for (;;) {
    const code = codeAt(header, position);
    if (isDelimiter(code)) return position;
    position = code === QUOTE ? skipQuotedString(header, position + 1) : position + 1;
  }
}

/** The position after the closing quote, or the end of the header where there is none. */
function skipQuotedString(header: string, position: number): number {
  for (;;) {
    const code = codeAt(header, position);
    if (code === END) return header.length;
    position++;
    if (code === QUOTE) return position;
    if (code === BACKSLASH) position++;
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
