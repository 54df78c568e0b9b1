/**
 * Measures the runtime beside other ways to serve the Runtime API: invocations a second, peak memory, and the time
 * from exec to the first *next*. All in one go, in shuffled rounds; see README.md for how to read it.
 *
 * @module
 */
import { StubApi } from "./_stub_api.ts";
import {
  build,
  type Built,
  median,
  ours,
  start,
  stop,
  usage,
  type Variant,
  variants,
} from "./_variants.ts";

const [rounds, count, starts] = Deno.args.includes("--quick") ? [1, 1_000, 3] : [7, 5_000, 15];
const EVENT = JSON.stringify({ hello: "world", list: [1, 2, 3] });

/** Invocations a second and the peak memory, of one run. */
async function serve(variant: Variant, built: Built): Promise<{ rate: number; peak: number }> {
  const stub = new StubApi(count, () => EVENT);
  const child = await start(variant, built, stub.api);
  const ended = await Promise.race([stub.ended, child.status]);
  if (typeof ended !== "number") throw new Error(`${variant.name} ended early: ${ended.code}`);
  const rate = count / (ended - await stub.started) * 1_000;
  const { peak } = usage(child.pid);
  await stop(child);
  stub.close();
  return { rate, peak };
}

/** Milliseconds from exec to the first *next*. */
async function startUp(variant: Variant, built: Built, fn: string): Promise<number> {
  const stub = new StubApi(0, () => EVENT);
  const before = performance.now();
  const child = await start(variant, built, stub.api, fn);
  const started = await Promise.race([stub.started, child.status]);
  if (typeof started !== "number") throw new Error(`${variant.name} ended early: ${started.code}`);
  await stop(child);
  stub.close();
  return started - before;
}

/** Measures each variant so often, in shuffled rounds; one round more comes first, for nothing. */
async function measure<T>(
  list: readonly Variant[],
  times: number,
  run: (variant: Variant) => Promise<T>,
): Promise<Map<Variant, T[]>> {
  const results = new Map<Variant, T[]>(list.map((variant) => [variant, []]));
  for (let round = 0; round <= times; round++) {
    const order = list.map((variant) => ({ variant, key: Math.random() }))
      .sort((a, b) => a.key - b.key);
    for (const { variant } of order) {
      const result = await run(variant);
      if (round > 0) results.get(variant)!.push(result);
    }
  }
  return results;
}

function spread(values: readonly number[], digits: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${low.toFixed(digits)} to ${high.toFixed(digits)}`;
}

const built = await build();
try {
  const list = variants(built);
  console.log(`## Invocations a second (${rounds} rounds of ${count})\n`);
  console.log("| variant | median | spread | peak memory, MB |\n|---|--:|--:|--:|");
  for (const [{ name }, runs] of await measure(list, rounds, (v) => serve(v, built))) {
    const rates = runs.map(({ rate }) => rate);
    const peak = median(runs.map(({ peak }) => peak)) / 1_000;
    console.log(
      `| ${name} | ${median(rates).toFixed(0)} | ${spread(rates, 0)} | ${peak.toFixed(1)} |`,
    );
  }
  for (const fn of built.s3 ? ["small", "s3"] : ["small"]) {
    const cached = ours(
      built,
      "@mate/core on Deno, warmed cache",
      `${built.folder}/deno_dir_${fn}`,
    );
    for (let i = 0; i < 2; i++) await startUp(cached, built, fn);
    console.log(`\n## From exec to the first next, ms: the ${fn} function (${starts} starts)\n`);
    console.log("| variant | median | spread |\n|---|--:|--:|");
    const all = [cached, ...list];
    for (const [{ name }, times] of await measure(all, starts, (v) => startUp(v, built, fn))) {
      console.log(`| ${name} | ${median(times).toFixed(1)} | ${spread(times, 1)} |`);
    }
  }
} finally {
  await Deno.remove(built.folder, { recursive: true });
}
