import { decode } from "@jridgewell/sourcemap-codec";
import type { Output } from "../packages/messages.ts";

/**
 * Stands for the global `Deno` in a bundle for Node.js: esbuild finds the global, and no variable, text or comment of the same
 * name. It is as long as `Deno`, so that the source map stays right.
 */
export const DENO = "\u{A4D3}eno";

const USE = new RegExp(`(\\btypeof\\s*)?${DENO}`, "g");

/** Puts the global back. */
export function withDeno(code: string): string {
  return code.replaceAll(DENO, "Deno");
}

/**
 * Finds the first use of the global `Deno` in each module. A module that asks whether there is one runs anywhere.
 *
 * @param isOwn Whether a module counts. Packages work on both runtimes, or say that they do not.
 * @returns The modules, with the line of the first use.
 */
export function usesOfDeno(
  { code, map }: Pick<Output, "code" | "map">,
  isOwn: (source: string) => boolean,
): (readonly [source: string, line: number])[] {
  if (!code.includes(DENO)) return [];
  const { sources, mappings } = JSON.parse(map);
  const positions = decode(mappings);
  const first = new Map<string, number>();
  const careful = new Set<string>();
  for (const [number, line] of code.split("\n").entries()) {
    const own = positions[number] ?? [];
    let next = 0; // The line may be the whole bundle, so nothing of it is read twice.
    for (const { index, 1: before = "" } of line.matchAll(USE)) {
      while (next < own.length && own[next]![0] <= index + before.length) next++;
      const [, source, sourceLine] = own[next - 1] ?? [];
      if (source === undefined || !isOwn(sources[source])) continue;
      if (before !== "") careful.add(sources[source]);
      first.set(sources[source], Math.min(first.get(sources[source]) ?? Infinity, sourceLine! + 1));
    }
  }
  return [...first].filter(([source]) => !careful.has(source));
}
