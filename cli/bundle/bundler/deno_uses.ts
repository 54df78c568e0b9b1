import type { Output } from "../packages/types.ts";
import { placesOf } from "./places.ts";

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
  output: Pick<Output, "code" | "map">,
  isOwn: (source: string) => boolean,
): (readonly [source: string, line: number])[] {
  if (!output.code.includes(DENO)) return [];
  const first = new Map<string, number>();
  const careful = new Set<string>();
  for (const { match: [, before], source, line } of placesOf(output.code.matchAll(USE), output)) {
    if (!isOwn(source)) continue;
    if (before !== undefined) careful.add(source);
    first.set(source, Math.min(first.get(source) ?? Infinity, line));
  }
  return [...first].filter(([source]) => !careful.has(source));
}
