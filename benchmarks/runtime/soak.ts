/**
 * Serves 100,000 invocations in one process and fails if what its heap holds, its memory or its open files grow:
 * results, failures, streams and large events, mixed.
 *
 * @module
 */
import { StubApi } from "./_stub_api.ts";
import { build, median, ours, start, stop, usage } from "./_variants.ts";

const COUNT = Number(Deno.args[0] ?? 100_000);
if (!Number.isInteger(COUNT) || COUNT < 10_000) {
  console.error(`Cannot soak: expected a number of invocations from 10000, got "${Deno.args[0]}"`);
  Deno.exit(2);
}

const LARGE = JSON.stringify({ text: "x".repeat(200_000) });

function event(index: number): string {
  if (index % 1_000 === 0) return '{"kind":"measure"}';
  if (index % 500 === 1) return LARGE;
  if (index % 10 === 2) return '{"kind":"fail"}';
  if (index % 10 === 3) return '{"kind":"stream"}';
  return `{"index":${index}}`;
}

/** How much each may grow from the first half, which begins after a fifth, to the second: V8 fills its caches first. */
const SLACK = { "heap, kB": 1.05, "resident memory, kB": 1.25, "open files": 1 };

const samples: { answered: number; values: Record<keyof typeof SLACK, number> }[] = [];
const built = await build();
const stub = new StubApi(COUNT, event);
const soaked = ours(built, "soak");
const child = await start(
  { ...soaked, args: ["run", "--v8-flags=--expose-gc", ...soaked.args.slice(1)] },
  built,
  stub.api,
  "soak",
);
stub.onAnswer = (body) => {
  if (!body.startsWith('{"heap":')) return;
  const { resident, files } = usage(child.pid);
  const heap = Math.round(JSON.parse(body).heap / 1_024);
  const values = { "heap, kB": heap, "resident memory, kB": resident, "open files": files };
  samples.push({ answered: stub.answered, values });
};
try {
  const ended = await Promise.race([stub.ended, child.status]);
  if (typeof ended !== "number") throw new Error(`The runtime ended early: ${ended.code}`);
  const seconds = (ended - await stub.started) / 1_000;
  console.log(`${stub.answered} invocations in ${seconds.toFixed(1)} s, ${stub.failures} failures`);
  if (stub.failures !== Math.floor((COUNT + 7) / 10)) throw new Error("Not all failures came");
  const early = samples.filter((s) => s.answered > COUNT * 0.2 && s.answered < COUNT * 0.5);
  const late = samples.filter((s) => s.answered >= COUNT * 0.5);
  for (const [name, slack] of Object.entries(SLACK) as [keyof typeof SLACK, number][]) {
    const before = median(early.map(({ values }) => values[name]));
    const after = median(late.map(({ values }) => values[name]));
    console.log(`${name}: ${before} in the first half, ${after} in the second`);
    if (after > before * slack) throw new Error(`The ${name} grew from ${before} to ${after}`);
  }
} finally {
  await stop(child);
  stub.close();
  await Deno.remove(built.folder, { recursive: true });
}
