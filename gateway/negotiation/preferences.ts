import { MemberScanner } from "./member_scanner.ts";

/** One member of a header such as `Accept-Language`, with its weight (RFC 9110 §12.4.2). */
export interface Preference {
  /** What is preferred, with its parameters other than the weight: `text/html;level=1`. */
  readonly value: string;
  /** How much, from 0 to 1 in steps of 0.001; 0 means that the client refuses it. */
  readonly quality: number;
}

/** The members of a header: one value and one weight, in thousandths, at each index. */
interface Members {
  readonly values: string[];
  readonly weights: number[];
}

/**
 * Parses a header of weighted preferences (RFC 9110 §12.4.2).
 *
 * @param header The field value.
 * @returns All members by decreasing quality, so that the refused ones, of quality 0, are last. Equal
 * qualities keep their order in the header; a value that is repeated, letter by letter, keeps its first place
 * and its highest quality.
 */
export function parsePreferences(header: string): Preference[] {
  const { values, weights } = sortedMembers(header);
  return values.map((value, index) => ({ value, quality: weights[index]! / 1000 }));
}

/**
 * The values of a header of weighted preferences (RFC 9110 §12.4.2).
 *
 * @param header The field value.
 * @returns The values alone, in the order of {@linkcode parsePreferences}, refused ones too.
 */
export function sortedPreferences(header: string): string[] {
  return sortedMembers(header).values;
}

/** Up to so many members are handled in ways that allocate nothing. */
const FEW = 16;

function sortedMembers(header: string): Members {
  const members = scanMembers(header);
  const { weights } = members;
  for (let index = 1; index < weights.length; index++) {
    if (weights[index]! > weights[index - 1]!) {
      return weights.length <= FEW ? insertionSort(members) : countingSort(members);
    }
  }
  return members;
}

/** The members in header order, repeated values merged. */
function scanMembers(header: string): Members {
  const values: string[] = [];
  const weights: number[] = [];
  let indexes: Map<string, number> | undefined; // only for many: comparing few is faster
  const scanner = new MemberScanner(header);
  while (scanner.next()) {
    const value = scanner.value();
    const { weight } = scanner;
    if (values.length === FEW) {
      indexes ??= new Map(values.map((value, index) => [value, index]));
    }
    const index = indexes === undefined ? values.indexOf(value) : indexes.get(value) ?? -1;
    if (index < 0) {
      indexes?.set(value, values.length);
      values.push(value);
      weights.push(weight);
    } else if (weight > weights[index]!) {
      weights[index] = weight;
    }
  }
  return { values, weights };
}

/** Sorts few members where they are, faster than anything that allocates. */
function insertionSort({ values, weights }: Members): Members {
  for (let index = 1; index < values.length; index++) {
    const value = values[index]!;
    const weight = weights[index]!;
    let place = index;
    for (; place > 0 && weights[place - 1]! < weight; place--) {
      values[place] = values[place - 1]!;
      weights[place] = weights[place - 1]!;
    }
    values[place] = value;
    weights[place] = weight;
  }
  return { values, weights };
}

/** Sorts any number of members in linear time: there are only 1001 weights. */
function countingSort({ values, weights }: Members): Members {
  const places = new Uint32Array(1001); // where the next member of each weight goes
  for (const weight of weights) places[weight]!++;
  let place = 0;
  for (let weight = 1000; weight >= 0; weight--) {
    const count = places[weight]!;
    places[weight] = place;
    place += count;
  }
  const sorted: Members = { values: new Array(values.length), weights: new Array(values.length) };
  for (let index = 0; index < values.length; index++) {
    const weight = weights[index]!;
    const place = places[weight]!++;
    sorted.values[place] = values[index]!;
    sorted.weights[place] = weight;
  }
  return sorted;
}
