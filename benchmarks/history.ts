/**
 * Adds the result of `deno task bench --json` to a file with one line for each commit, and prints how the newest result
 * compares with the results before: `deno run -A benchmarks/history.ts FILE COMMIT < result.json`. With FILE alone, it fails
 * if a ratio is over a quarter above the median of the 20 results before, twice in a row.
 *
 * Times of different machines cannot be compared. So the history has ratios: the median of `@mate/core` divided by the best
 * median of its peers in the same run. For rates, it is the other way round. Less is better in every row.
 *
 * @module
 */
import { median, type Row } from "./contest.ts";
import type { Size } from "./sizes.ts";

/** What `deno task bench --json` prints. */
export interface Result {
  readonly rows: readonly Row[];
  readonly sizes: readonly Size[];
}

/** A line of the history: the commit, and each measured value by its name. */
export interface Entry {
  readonly commit: string;
  readonly values: Readonly<Record<string, number>>;
}

const RATIO = ": ratio to the best peer";

/** The number of results that the newest one is compared with. */
const WINDOW = 20;

/** Makes the values of the history: sizes in bytes, and ratios. */
export function entryOf(commit: string, { rows, sizes }: Result): Entry {
  const values: Record<string, number> = {};
  for (const { room, names, size } of sizes) values[`bytes of ${names} (${room})`] = size;
  for (const { work, runtime, unit, values: { "@mate/core": ours, ...others } } of rows) {
    const isRate = unit === "1/s";
    const peers = Object.values(others);
    if (ours === undefined || peers.length === 0) continue;
    const ratio = isRate ? Math.max(...peers) / ours : ours / Math.min(...peers);
    values[`${work}, ${runtime}${RATIO}`] = Number(ratio.toPrecision(3));
  }
  return { commit, values };
}

/** Makes a table of the newest entry and the medians of the entries before. Changes of more than a tenth are marked. */
export function describeHistory(entries: readonly Entry[]): string {
  const newest = entries.at(-1)!;
  const before = entries.slice(0, -1).slice(-WINDOW);
  const rows = Object.entries(newest.values).map(([name, value]) => {
    const former = before.flatMap(({ values }) => values[name] ?? []);
    if (former.length === 0) return `| ${name} | ${value} |  | new |`;
    const old = median(former);
    const change = value / old - 1;
    const sign = change < 0 ? "" : "+";
    const mark = Math.abs(change) <= 0.1 ? "" : change > 0 ? " ⚠" : " ✓";
    return `| ${name} | ${value} | ${old} | ${sign}${(change * 100).toFixed(0)} %${mark} |`;
  });
  return [
    `| at ${newest.commit} | now | median of the last ${before.length} | change |`,
    "|---|--:|--:|--:|",
    ...rows,
  ].join("\n");
}

/** How much a ratio may be above the median of the results before. */
const TOLERANCE = 1.25;

/** The rows whose ratio to the best peer was more than a quarter above the median, in the newest two results. */
export function findSlower(entries: readonly Entry[]): string[] {
  const isSlower = (name: string, end: number) => {
    const value = entries[end]?.values[name];
    const before = entries.slice(0, end).slice(-WINDOW).flatMap(({ values }) => values[name] ?? []);
    return value !== undefined && before.length > 0 && value > median(before) * TOLERANCE;
  };
  const newest = entries.length - 1;
  return Object.keys(entries[newest]?.values ?? {}).filter((name) =>
    name.endsWith(RATIO) && isSlower(name, newest) && isSlower(name, newest - 1)
  );
}

async function readEntries(file: string): Promise<Entry[]> {
  return (await Deno.readTextFile(file)).trim().split("\n").map((line) => JSON.parse(line));
}

if (import.meta.main && Deno.args.length === 1) {
  for (const name of findSlower(await readEntries(Deno.args[0]!))) {
    console.error(`Over a quarter slower than before, twice in a row: ${name}`);
    Deno.exitCode = 1;
  }
} else if (import.meta.main) {
  const [file, commit] = Deno.args as [string, string];
  const entry = entryOf(commit, JSON.parse(await new Response(Deno.stdin.readable).text()));
  await Deno.writeTextFile(file, `${JSON.stringify(entry)}\n`, { append: true });
  console.log(describeHistory(await readEntries(file)));
}
