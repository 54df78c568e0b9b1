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

/** Finds the places of a pattern in a bundle. A line may be the whole bundle, so nothing of it is read twice. */
export function* placesOf(
  pattern: RegExp,
  { code, map }: Pick<Output, "code" | "map">,
): Generator<Place> {
  const { sources, mappings } = JSON.parse(map);
  const positions = decode(mappings);
  for (const [number, line] of code.split("\n").entries()) {
    const own = positions[number] ?? [];
    let next = 0;
    for (const match of line.matchAll(pattern)) {
      const end = match.index + match[0].length;
      while (next < own.length && own[next]![0] < end) next++;
      const [, source, sourceLine] = own[next - 1] ?? [];
      if (source !== undefined) yield { match, source: sources[source], line: sourceLine! + 1 };
    }
  }
}
