import { decode } from "@jridgewell/sourcemap-codec";
import type { Output } from "../packages/messages.ts";

/**
 * Stands for the global `Deno` in a bundle for Node.js: esbuild finds the global, and no variable, text or comment of the same
 * name. It is as long as `Deno`, so that the source map stays right.
 */
export const DENO = "\u{A4D3}eno";

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
    for (const { index } of line.matchAll(new RegExp(DENO, "g"))) {
      const [, source, sourceLine] = positions[number]?.findLast(([column]) => column <= index) ??
        [];
      if (source === undefined || !isOwn(sources[source])) continue;
      if (/\btypeof\s*$/.test(line.slice(0, index))) careful.add(sources[source]);
      first.set(sources[source], Math.min(first.get(sources[source]) ?? Infinity, sourceLine! + 1));
    }
  }
  return [...first].filter(([source]) => !careful.has(source));
}
