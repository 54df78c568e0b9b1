/** One member of a header of weighted preferences. */
export interface Member {
  readonly value: string;
  /** The weight in thousandths, from 0 to 1000: whole numbers compare without rounding. */
  weight: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const BACKSLASH = 0x5c;

/** The greatest number of places for members by hash. A prime number mixes the bits of a hash. */
const PLACES = 4093;

/**
 * Reads the members of a header of weighted preferences (RFC 9110 section 12.4.2), in time linear in its length.
 *
 * @param header The value of the header.
 * @param toValue Makes the value of a member from its name. Without it, the value is the name with its parameters.
 * @returns The members in the order of the header. A repeated value keeps its first place and its highest weight.
 */
export function readMembers(header: string, toValue?: (name: string) => string): Member[] {
  const members: Member[] = [];
  // A `Map` alone would take three times as long, so it has only the members whose place another value has. If a client
  // chooses values of one place, all of them go to the `Map`, and the time stays linear.
  const places: Member[] = new Array(Math.min(header.length, PLACES));
  let others: Map<string, Member> | undefined;
  for (let start = 0, end: number; start < header.length; start = end + 1) {
    end = endOfPart(header, start);
    if (end === start && header.charCodeAt(end) === COMMA) continue;
    const name = trim(header, start, end);
    let value = toValue ? toValue(name) : name;
    let weight: number | undefined;
    while (header.charCodeAt(end) === SEMICOLON) {
      const start = end + 1;
      end = endOfPart(header, start);
      if (end === start) continue;
      const parameter = trim(header, start, end);
      if (/^q[\t ]*(=|$)/i.test(parameter)) weight ??= readWeight(parameter); // of several weights the first counts
      else if (parameter && !toValue) value += `;${parameter}`;
    }
    if (!name) continue;
    const member = { value, weight: weight ?? 1000 };
    const first = places[hashOf(value) % places.length] ??= member;
    const known = first.value === value ? first : others?.get(value);
    if (known && known !== member) known.weight = Math.max(known.weight, member.weight);
    else members.push(member);
    if (!known) (others ??= new Map()).set(value, member);
  }
  return members;
}

/** A hash of a value, as a whole number of 30 bits, which the engine keeps without an object. */
function hashOf(value: string): number {
  let hash = 0;
  for (let index = 0; index < value.length; index++) {
    hash = hash * 31 + value.charCodeAt(index) | 0;
  }
  return hash & 0x3fffffff;
}

/** Reads the weight in `q=0.5`. A weight outside of the grammar is 0. */
function readWeight(parameter: string): number {
  const [, text] = /^q[\t ]*=[\t ]*([01]?(?:\.\d{0,3})?)$/i.exec(parameter) ?? [];
  const weight = Math.round(Number(text) * 1000);
  return weight <= 1000 ? weight : 0;
}

/** Finds the next comma or semicolon outside of quoted strings, or the end of the header. */
function endOfPart(header: string, position: number): number {
  for (let isQuoted = false; position < header.length; position++) {
    const code = header.charCodeAt(position);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted && code === BACKSLASH) position++;
    else if (!isQuoted && (code === COMMA || code === SEMICOLON)) break;
  }
  return position;
}

/** A part of the header without the white space of HTTP around it. */
function trim(header: string, start: number, end: number): string {
  while (start < end && " \t".includes(header[start]!)) start++;
  while (start < end && " \t".includes(header[end - 1]!)) end--;
  return header.slice(start, end);
}
