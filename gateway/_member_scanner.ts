const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const UPPER_Q = 0x51;
const BACKSLASH = 0x5c;
const LOWER_Q = 0x71;

/** The weight of a member without one, in thousandths. */
const DEFAULT_WEIGHT = 1000;

/**
 * Walks over the members of a header of weighted preferences (RFC 9110 §12.4.2), one at a time, from left to
 * right, each character once.
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
  // The next comma, semicolon and quote at or after where they were last looked for.
  #comma = -1;
  #semicolon = -1;
  #quote = -1;
  // What `value()` returns is `#prefix` and then `#runStart` to `#runEnd` of the header. The prefix is
  // empty unless something stood between the parts: white space, an empty parameter, the weight.
  #prefix = "";
  #runStart = 0;
  #runEnd = 0;

  constructor(header: string) {
    this.header = header;
  }

  /** The member without its weight and without optional white space. */
  value(): string {
    const run = this.header.slice(this.#runStart, this.#runEnd);
    return this.#prefix === "" ? run : this.#prefix + run;
  }

  /** Goes to the next member that names a value; false at the end of the header. */
  next(): boolean {
    const { header } = this;
    const { length } = header;
    let position = this.#position;
    let code = 0;
    for (;;) {
      while (
        position < length &&
        ((code = header.charCodeAt(position)) === COMMA || code === SPACE || code === TAB)
      ) position++;
      if (position === length) {
        this.#position = length;
        return false;
      }
      if (code !== SEMICOLON) break;
      do position = this.#skipPart(position + 1); while (
        header.charCodeAt(position) === SEMICOLON
      );
    }
    this.start = position;
    position = this.#skipPart(position);
    this.end = trimEnd(header, this.start, position);
    this.weight = DEFAULT_WEIGHT;
    this.#prefix = "";
    this.#runStart = this.start;
    this.#runEnd = this.end;
    if (position < length && header.charCodeAt(position) === SEMICOLON) {
      position = this.#scanParameters(position);
    }
    this.#position = position;
    return true;
  }

  /** Reads parameters from the semicolon at `position`; returns where the member ends. */
  #scanParameters(position: number): number {
    const { header } = this;
    const { length } = header;
    let isWeighted = false; // of several weights the first counts
    while (position < length && header.charCodeAt(position) === SEMICOLON) {
      const start = skipSpace(header, position + 1);
      const code = header.charCodeAt(start);
      if (code === LOWER_Q || code === UPPER_Q) {
        const afterName = skipSpace(header, start + 1);
        const next = header.charCodeAt(afterName);
        if (next === EQUALS || isDelimiter(next)) {
          position = next === EQUALS ? this.#skipPart(afterName + 1) : afterName;
          if (!isWeighted) this.weight = next === EQUALS ? parseWeight(header, afterName + 1) : 0;
          isWeighted = true;
          continue;
        }
      }
      position = this.#skipPart(start);
      const end = trimEnd(header, start, position);
      if (end === start) continue; // an empty parameter
      if (start !== this.#runEnd + 1) {
        this.#prefix += header.slice(this.#runStart, this.#runEnd) + ";";
        this.#runStart = start;
      }
      this.#runEnd = end;
    }
    return position;
  }

  /** The position of the next comma or semicolon outside quoted strings, or the end of the header. */
  #skipPart(position: number): number {
    const { header } = this;
    for (;;) {
      if (this.#comma < position) this.#comma = find(header, ",", position);
      if (this.#semicolon < position) this.#semicolon = find(header, ";", position);
      if (this.#quote < position) this.#quote = find(header, '"', position);
      const end = this.#comma < this.#semicolon ? this.#comma : this.#semicolon;
      if (end <= this.#quote) return end;
      position = skipQuotedString(header, this.#quote + 1);
    }
  }
}

/** The position of a character, or the end of the header; the engine is faster at it than a loop. */
function find(header: string, character: string, position: number): number {
  const found = header.indexOf(character, position);
  return found < 0 ? header.length : found;
}

/** Whether a part ends here; NaN is the end of the header. */
function isDelimiter(code: number): boolean {
  return code === COMMA || code === SEMICOLON || code !== code;
}

/** The position after the closing quote, or the end of the header where there is none. */
function skipQuotedString(header: string, position: number): number {
  const { length } = header;
  while (position < length) {
    const code = header.charCodeAt(position++);
    if (code === QUOTE) return position;
    if (code === BACKSLASH) position++;
  }
  return length;
}

function skipSpace(header: string, position: number): number {
  for (;;) {
    const code = header.charCodeAt(position);
    if (code !== SPACE && code !== TAB) return position;
    position++;
  }
}

function trimEnd(header: string, start: number, end: number): number {
  while (end > start) {
    const code = header.charCodeAt(end - 1);
    if (code !== SPACE && code !== TAB) break;
    end--;
  }
  return end;
}

/**
 * Parses a weight, from after its `=` to the next delimiter: `0`, `1`, either with up to three decimals, or
 * up to three decimals alone.
 *
 * @returns Thousandths; 0 for whatever is outside the grammar.
 */
function parseWeight(header: string, position: number): number {
  position = skipSpace(header, position);
  const first = header.charCodeAt(position) - ZERO;
  let weight = 0;
  if (first === 0 || first === 1) {
    weight = first * 1000;
    position++;
  }
  if (header.charCodeAt(position) === DOT) {
    position++;
    for (let unit = 100; unit >= 1; unit /= 10) {
      const digit = header.charCodeAt(position) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      weight += digit * unit;
      position++;
    }
  }
  position = skipSpace(header, position);
  return weight <= 1000 && isDelimiter(header.charCodeAt(position)) ? weight : 0;
}
