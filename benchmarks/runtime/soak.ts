/**
 * Serves 100,000 invocations in one process and fails if its memory or its open files grow: results, failures,
 * streams and large events, mixed.
 *
 * @module
 */
import { StubApi } from "./_stub_api.ts";
import { build, median, ours, start, stop, usage } from "./_variants.ts";

const COUNT = Number(Deno.args[0] ?? 100_000);
if (!Number.isInteger(COUNT) || COUNT < 1_000) {
  console.error(`Cannot soak: expected a number of invocations from 1000, got "${Deno.args[0]}"`);
  Deno.exit(2);
}

const LARGE = JSON.stringify({ text: "x".repeat(200_000) });

function event(index: number): string {
  if (index % 500 === 1) return LARGE;
  if (index % 100 === 2) return '{"fail":true}';
  if (index % 100 === 3) return '{"stream":true}';
  return `{"index":${index}}`;
}

const built = await build();
const stub = new StubApi(COUNT, event);
const child = await start(ours(built, "soak"), built, stub.api);
const samples: { answered: number; resident: number; files: number }[] = [];
const sample = () => samples.push({ answered: stub.answered, ...usage(child.pid) });
const timer = setInterval(sample, 100);
try {
  const ended = await Promise.race([stub.ended, child.status]);
  clearInterval(timer);
  if (typeof ended !== "number") throw new Error(`The runtime ended early: ${ended.code}`);
  sample();
  // The first fifth is the warm-up: code is compiled, the heap finds its size.
  const warm = samples.filter(({ answered }) => answered >= COUNT * 0.2 && answered < COUNT * 0.6);
  const late = samples.filter(({ answered }) => answered >= COUNT * 0.6);
  const expected = Math.ceil((COUNT - 2) / 100);
  for (
    const [name, key, slack] of [["memory, kB", "resident", 1.1], [
      "open files",
      "files",
      1,
    ]] as const
  ) {
    const [before, after] = [warm, late].map((part) => median(part.map((one) => one[key])));
    console.log(`${name}: ${before} in the second fifth and third, ${after} in the rest`);
    if (!(after! <= before! * slack)) {
      throw new Error(`The ${name} grew from ${before} to ${after}`);
    }
  }
  const seconds = (ended - await stub.started) / 1_000;
  console.log(`${stub.answered} invocations in ${seconds.toFixed(1)} s, ${stub.failures} failures`);
  if (stub.failures !== expected) throw new Error(`Expected ${expected} failures`);
} finally {
  clearInterval(timer);
  await stop(child);
  stub.close();
  await Deno.remove(built.folder, { recursive: true });
}
