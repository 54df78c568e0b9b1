import { inRounds, medians, type Row } from "../contest.ts";
import { build, others, ours, type Program, start } from "./programs.ts";
import { StubApi } from "./stub_api.ts";

const EVENT = JSON.stringify({ hello: "world", list: [1, 2, 3] });

/** Measures the runtime next to other clients of the Runtime API. */
export async function measureRuntimeLoop(folder: string, isQuick: boolean): Promise<Row[]> {
  await build(folder);
  const [rounds, count, starts] = isQuick ? [1, 1_000, 1] : [7, 5_000, 15];
  const cached = ours(folder, `${folder}/deno_dir`);
  for (let i = 0; i < 2; i++) await startUp(cached, folder); // fills the code cache
  const uncached = { ...ours(folder), name: "@mate/core without a code cache" };
  const programs = [cached, ...await others(folder)];
  const invocations = await measure(programs, rounds, (program) => serve(program, folder, count));
  programs.push(uncached);
  const times = await measure(programs, starts, (program) => startUp(program, folder));
  const start = "runtime loop: from the start to the first request for an event";
  return [
    { work: "runtime loop: small invocations", unit: "1/s", runtime: "", values: invocations },
    { work: start, unit: "ms", runtime: "", values: times },
  ];
}

/** The median of each program. */
async function measure(
  programs: readonly Program[],
  rounds: number,
  run: (program: Program) => Promise<number>,
): Promise<Record<string, number>> {
  const turns = programs.map((program) => [program.name, () => run(program)]);
  return medians(await inRounds(rounds, Object.fromEntries(turns)), Number);
}

/** Invocations in a second. */
async function serve(program: Program, folder: string, count: number): Promise<number> {
  using stub = new StubApi(count, () => EVENT);
  await using child = await start(program, folder, stub.api);
  const ended = await Promise.race([stub.ended.promise, child.status]);
  if (typeof ended !== "number") throw new Error(`${program.name} ended early: ${ended.code}`);
  return count / (ended - await stub.started.promise) * 1_000;
}

/** Milliseconds from the start of the process to its first request for an event. */
async function startUp(program: Program, folder: string): Promise<number> {
  using stub = new StubApi(0, () => EVENT);
  const before = performance.now();
  await using child = await start(program, folder, stub.api);
  const started = await Promise.race([stub.started.promise, child.status]);
  if (typeof started !== "number") throw new Error(`${program.name} ended early: ${started.code}`);
  return started - before;
}
