/**
 * Measures everything and prints tables: `deno task bench [--quick]`. Ends with 1 if a result was wrong, whatever
 * the times.
 *
 * @module
 */
import { bundle } from "./_bundle.ts";
import type { Result } from "./contest.ts";
import { findRuntimes, type Runtime } from "./_runtimes.ts";
import type { Spread } from "./_statistics.ts";
import { table } from "./_table.ts";
import { measureStartup, type StartupReport } from "./startup.ts";
import type { GrowthResult, MemoryResult } from "./workloads/growth.ts";
import type { HostileResult } from "./workloads/hostile.ts";

/** Functions are compiled in turn, so that a busy machine puts none off; the heap as memory wants it. */
const STEADY = ["--no-concurrent-recompilation"];
const ROOMY = ["--min-semi-space-size=128", "--max-semi-space-size=128"];

/** By runtime: what each task of `measure.ts` found. */
type Findings<T> = Readonly<Record<string, T>>;

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((arg) => arg !== "--quick");
  if (unknown !== undefined) {
    console.error(`Cannot measure: ${JSON.stringify(unknown)} is no option; there is --quick`);
    return 2;
  }
  const isQuick = args.includes("--quick");
  const runtimes = await findRuntimes();
  const folder = await Deno.makeTempDir({ prefix: "mate-bench-" });
  try {
    const file = `${folder}/measure.mjs`;
    await bundle(new URL("measure.ts", import.meta.url), file);
    const findings = <T>(task: string, engineFlags: string[]): Promise<Findings<T>> =>
      eachRuntime(runtimes, async (runtime) => {
        console.error(`Measuring ${task} on ${runtime.name} …`);
        const measureArgs = [task, ...(isQuick ? ["quick"] : [])];
        return JSON.parse(await runtime.run(file, { args: measureArgs, engineFlags }));
      });
    const results = await findings<Result[]>("contest", STEADY);
    printContest(results);
    printHostile(await findings<HostileResult[]>("hostile", STEADY));
    printGrowth(await findings<GrowthResult[]>("growth", STEADY));
    if (!isQuick) printMemory(await findings<MemoryResult[]>("memory", ROOMY));
    console.error("Measuring startup …");
    printStartup(await measureStartup(folder, runtimes, isQuick ? 1 : 15), runtimes);
    return report(results);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** One runtime after the other: at the same time they would slow each other. */
async function eachRuntime<T>(
  runtimes: readonly Runtime[],
  measure: (runtime: Runtime) => Promise<T>,
): Promise<Findings<T>> {
  const findings: Record<string, T> = {};
  for (const runtime of runtimes) findings[runtime.name] = await measure(runtime);
  return findings;
}

function print(title: string, rows: readonly (readonly string[])[]): void {
  console.log(`\n${title}\n\n${table(rows)}`);
}

function printContest(results: Findings<Result[]>): void {
  for (const [runtime, workloads] of Object.entries(results)) {
    for (const { workload, aim, timings } of workloads) {
      print(`${workload} on ${runtime} (aim: ${aim} × floor)`, [
        ["", "µs", "× floor", "middle half"],
        ...timings.map(({ name, time, ratio }) => [
          name,
          time.median.toFixed(2),
          ratio.median.toFixed(2),
          `${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`,
        ]),
      ]);
    }
  }
  const columns = Object.keys(results);
  print("@mate/core and its best peer, × floor", [
    ["", "aim", ...columns.flatMap((runtime) => [runtime, "best peer"])],
    ...(results[columns[0]!] ?? []).map(({ workload, aim }, index) => [
      workload,
      String(aim),
      ...columns.flatMap((runtime) => {
        const [, mate, ...peers] = results[runtime]![index]!.timings;
        const best = Math.min(...peers.map(({ ratio }) => ratio.median));
        return [mate?.ratio.median.toFixed(2) ?? "wrong", best.toFixed(2)];
      }),
    ]),
  ]);
}

function printHostile(results: Findings<HostileResult[]>): void {
  for (const [runtime, shapes] of Object.entries(results)) {
    const peers = Object.keys(shapes[0]?.growth ?? {});
    print(
      `Hostile headers on ${runtime}: nanoseconds a character of @mate/core; growth of peers from 1 to 16 KB, 16 is linear`,
      [
        ["", "1 KB", "16 KB", "1 MB", ...peers],
        ...shapes.map(({ shape, cost, growth }) => [
          shape,
          ...cost.map((nanoseconds) => nanoseconds.toFixed(2)),
          ...peers.map((peer) => growth[peer]?.toFixed(0) ?? ""),
        ]),
      ],
    );
  }
}

function printGrowth(results: Findings<GrowthResult[]>): void {
  for (const [runtime, kinds] of Object.entries(results)) {
    print(`A small reply with so much data that is not read, on ${runtime}: µs (floor)`, [
      ["", "10", "100", "1,000", "10,000"],
      ...kinds.map(({ unread, mate, floor }) => [
        unread,
        ...mate.map((time, index) => `${time.toFixed(1)} (${floor[index]!.toFixed(1)})`),
      ]),
    ]);
  }
}

function printMemory(results: Findings<MemoryResult[]>): void {
  for (const [runtime, workloads] of Object.entries(results)) {
    const names = Object.keys(workloads[0]?.bytes ?? {});
    print(`Heap a call on ${runtime}: KB`, [
      ["", ...workloads.map(({ workload }) => workload)],
      ...names.map((name) => [
        name,
        ...workloads.map(({ bytes }) => (bytes[name]! / 1024).toFixed(1)),
      ]),
    ]);
  }
}

function printStartup(
  { sizes, imports, firstReplies, touched }: StartupReport,
  runtimes: readonly Runtime[],
): void {
  const names = runtimes.map(({ name }) => name);
  print("Importing a bundled library in a fresh process: ms more than importing nothing", [
    ["", ...names, "KB, minified and gzipped"],
    ...Object.entries(imports).map(([name, spreads]) => [
      name,
      ...names.map((runtime) => showSpread(spreads[runtime])),
      (sizes[name]! / 1024).toFixed(1),
    ]),
  ]);
  const loads = touched.length === 0 ? "nothing" : touched.join(", ");
  console.log(`\nImporting @mate/core loads of the runtime's own modules: ${loads}`);
  print("First gzipped reply in a fresh process, from before the import: ms", [
    ["", ...names],
    ...Object.entries(firstReplies).map(([way, spreads]) => [
      way,
      ...names.map((runtime) => showSpread(spreads[runtime])),
    ]),
  ]);
}

function showSpread(spread: Spread | undefined): string {
  if (spread === undefined) return "";
  return `${spread.median.toFixed(2)} (${spread.low.toFixed(2)}–${spread.high.toFixed(2)})`;
}

/** Says what was wrong, and ends with 1 if anything was. */
function report(results: Findings<Result[]>): number {
  let exitCode = 0;
  for (const [runtime, workloads] of Object.entries(results)) {
    for (const { workload, failures } of workloads) {
      for (const failure of failures) {
        console.error(`WRONG on ${runtime}, ${workload}: ${failure}`);
        exitCode = 1;
      }
    }
  }
  return exitCode;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
