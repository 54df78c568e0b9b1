import { decode } from "@jridgewell/sourcemap-codec";
import type { Output } from "../packages/types.ts";

/** A match in a bundle, and where its code comes from. */
export interface Place {
  readonly match: RegExpExecArray;
  /** The name of the module in the source map. */
  readonly source: string;
  /** The line in the module; the first line is 1. */
  readonly line: number;
}

/** Finds the places of matches in a bundle. A line may be the whole bundle, so nothing of it is read twice. */
export function* placesOf(
  matches: Iterable<RegExpExecArray>,
  { code, map }: Pick<Output, "code" | "map">,
): Generator<Place> {
  const { sources, mappings } = JSON.parse(map);
  const positions = decode(mappings);
  let [number, start, end, next] = [0, 0, code.indexOf("\n"), 0];
  for (const match of matches) {
    const last = match.index + match[0].length - 1;
    while (end >= 0 && end < last) {
      [number, start, next] = [number + 1, end + 1, 0];
      end = code.indexOf("\n", start);
    }
    const own = positions[number] ?? [];
    while (next < own.length && own[next]![0] <= last - start) next++;
    const [, source, sourceLine] = own[next - 1] ?? [];
    if (source !== undefined) yield { match, source: sources[source], line: sourceLine! + 1 };
  }
}
