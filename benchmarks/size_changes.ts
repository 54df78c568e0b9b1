/**
 * Prints the sizes of imports as JSON or, if a file has the sizes before, a table with the changes and the limits, for a
 * comment on a pull request: `deno run -A benchmarks/size_changes.ts [BEFORE.json]`.
 *
 * @module
 */
import { measureSizes, type Size } from "./sizes.ts";

/** Makes the table: what changed, and what the limits of `sizes.ts` leave. */
export function tableOf(before: readonly Size[], now: readonly Size[]): string {
  const keyOf = ({ room, names }: Size) => `${room}: ${names}`;
  const sizes = new Map(before.map((size) => [keyOf(size), size.size]));
  const rows = now.map((one) => {
    const old = sizes.get(keyOf(one));
    const change = old === undefined ? "new" : one.size - old;
    return [keyOf(one), one.size, change, one.limit, one.limit - one.size];
  }).filter(([, , change]) => change !== 0);
  if (rows.length === 0) return "No import of the library changes its size.";
  const head = ["import, minified and gzipped", "bytes", "change", "limit", "left"];
  const lines = [head, head.map((_, index) => index === 0 ? "---" : "--:"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

if (import.meta.main) {
  const [file] = Deno.args;
  const now = await measureSizes();
  console.log(
    file === undefined
      ? JSON.stringify(now)
      : tableOf(JSON.parse(await Deno.readTextFile(file)), now),
  );
}
