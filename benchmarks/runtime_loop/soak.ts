/**
 * Serves 100,000 invocations in one process: results, failures, streams and large events. Fails if the heap, the
 * memory or the number of open files grows: `deno task soak [count]`.
 *
 * @module
 */
import { temporaryFolder } from "../../testdata/programs.ts";
import { median } from "../contest.ts";
import { build, ours, start } from "./programs.ts";
import { StubApi } from "./stub_api.ts";

const COUNT = Number(Deno.args[0] ?? 100_000);
if (!Number.isInteger(COUNT) || COUNT < 30_000) {
  console.error(`Invalid count "${Deno.args[0]}": expected a number from 30000`);
  Deno.exit(2);
}

const LARGE = JSON.stringify({ text: "x".repeat(200_000) });

function eventOf(index: number): string {
  if (index % 1_000 === 0) return '{"kind":"measure"}';
  if (index % 500 === 1) return LARGE;
  if (index % 10 === 2) return '{"kind":"fail"}';
  if (index % 10 === 3) return '{"kind":"stream"}';
  return `{"index":${index}}`;
}

/** How much each value may grow from the first half to the second. The first fifth is left out, because V8 fills its caches. */
const SLACK = { "heap, kB": 1.05, "resident memory, kB": 1.25, "open files": 1 };
type Sample = Record<keyof typeof SLACK, number>;

const samples: { answered: number; values: Sample }[] = [];
const folder = temporaryFolder();
await build(folder);
using stub = new StubApi(COUNT, eventOf);
const program = ours(folder, undefined, "--v8-flags=--expose-gc");
await using child = await start(program, folder, stub.api);
stub.onAnswer = (body) => {
  if (!body.startsWith('{"heap":')) return;
  const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
  const values = {
    "heap, kB": Math.round(JSON.parse(body).heap / 1_024),
    "resident memory, kB": Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]),
    "open files": [...Deno.readDirSync(`/proc/${child.pid}/fd`)].length,
  };
  samples.push({ answered: stub.answered, values });
};
const ended = await Promise.race([stub.ended.promise, child.status]);
if (typeof ended !== "number") throw new Error(`The runtime ended early: ${ended.code}`);
const seconds = (ended - await stub.started.promise) / 1_000;
console.log(`${stub.answered} invocations in ${seconds.toFixed(1)} s, ${stub.failures} failures`);
const expected = Math.floor((COUNT + 7) / 10);
if (stub.failures !== expected) throw new Error(`Expected ${expected} failures`);
const early = samples.filter((s) => s.answered > COUNT * 0.2 && s.answered < COUNT * 0.5);
const late = samples.filter((s) => s.answered >= COUNT * 0.5);
for (const [name, slack] of Object.entries(SLACK) as [keyof Sample, number][]) {
  const before = median(early.map(({ values }) => values[name]));
  const after = median(late.map(({ values }) => values[name]));
  console.log(`${name}: ${before} in the first half, ${after} in the second`);
  if (after > before * slack) throw new Error(`The ${name} grew from ${before} to ${after}`);
}
