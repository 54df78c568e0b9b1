import { buildHttpResponse, determineContentType, FnProxyEvent } from "../../gateway/mod.ts";
import { NEGOTIATORS } from "../peers/negotiators.ts";
import { restEvent } from "./_events.ts";

/** What a hostile client may repeat in a header. */
const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  commas: (length) => ",".repeat(length),
  semicolons: (length) => ";".repeat(length),
  "parameters without end": (length) => "a" + ";b=c".repeat(length / 4),
  quotes: (length) => '"'.repeat(length),
  "an open quote": (length) => 'a;b="' + "\\".repeat(length),
  spaces: (length) => "a" + " ".repeat(length) + "a",
  "spaces and weights": (length) => "a ;q = 1,".repeat(length / 9),
  stars: (length) => "*/*,".repeat(length / 4),
  "types, no two alike": (length) => distinct(length, (index) => `a/${index}`),
  "a long token": (length) => "a".repeat(length),
};

const SIZES = [1024, 16 * 1024, 1024 * 1024] as const;

/** What a shape costs. */
export interface HostileResult {
  readonly shape: string;
  /** Nanoseconds a character of `@mate/core` at 1 KB, 16 KB and 1 MB: the slowest of what reads such headers. */
  readonly cost: readonly number[];
  /** By peer: how many times the time of 1 KB it takes for 16 KB; linear is 16. */
  readonly growth: Readonly<Record<string, number>>;
}

/** Measures the shapes, each for some milliseconds. */
export function hostile(milliseconds: number): HostileResult[] {
  return Object.entries(SHAPES).map(([shape, make]) => {
    const cost = SIZES.map((size) => {
      const value = make(size);
      const runs = readers(value).map((run) => timeOf(run, milliseconds));
      return Math.max(...runs) * 1e6 / value.length;
    });
    const growth: Record<string, number> = {};
    for (const { name, sort } of NEGOTIATORS.slice(2)) {
      if (sort === undefined) continue;
      const [small, large] = SIZES.map((size) => {
        if (size > SIZES[1]) return NaN; // some would take minutes
        const value = make(size);
        const event = restEvent({ path: "/", headers: { "Accept-Language": value } });
        const request = { event, headers: { "accept-language": value } };
        return timeOf(() => attempt(() => sort(request)), milliseconds);
      });
      growth[name] = large! / small!;
    }
    return { shape, cost, growth };
  });
}

/** All that reads headers of weighted preferences. */
function readers(value: string): (() => unknown)[] {
  const event = new FnProxyEvent(restEvent({
    path: "/",
    headers: { "Accept": value, "Accept-Language": value },
  }));
  const encoded = new FnProxyEvent(restEvent({ path: "/", headers: { "Accept-Encoding": value } }));
  return [
    () => event.headerSortedPreferences("Accept-Language"),
    () => attempt(() => determineContentType(event)),
    () => buildHttpResponse(200, 0, { event: encoded }),
  ];
}

/** Some refuse what they are given, which is an answer too. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

/** The fastest of the calls that fit into the time, in milliseconds. */
function timeOf(run: () => unknown, milliseconds: number): number {
  let fastest = Infinity;
  const end = performance.now() + milliseconds;
  do {
    const start = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - start);
  } while (performance.now() < end);
  return fastest;
}

function distinct(length: number, part: (index: number) => string): string {
  let text = "";
  for (let index = 0; text.length < length; index++) text += part(index) + ",";
  return text;
}
