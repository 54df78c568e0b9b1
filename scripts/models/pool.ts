/**
 * The sandboxes of a function while callers come and go, its reserved concurrency changes, and it leaves the manifest. The
 * model says how many invocations run, how many wait, and which are refused. The function asks a server here when it may end,
 * so the server sees what really runs.
 *
 * @module
 */
import { assert } from "@std/assert";
import { applicationOf, startApp } from "../../cli/testdata/sandbox.ts";
import { until } from "../../testdata/waiting.ts";

/** The largest number of sandboxes of a function on this machine. */
const CONCURRENCY = 4;

/** Runs the model for some seconds. Throws if the pool does anything else. */
export async function run(seconds: number, next: (limit: number) => number): Promise<void> {
  /** The running invocations. */
  const running = new Set<() => void>();
  /** The running invocations of the function before it left the manifest. A function that returns is another one. */
  const former = new Set<() => void>();
  let limit = 1;
  /** The largest number that may run now. During a change, both limits hold. */
  let most = 1;
  let waiting = 0;
  const counts = { answered: 0, refused: 0 };
  const expected = { answered: 0, refused: 0 };
  const state = () => JSON.stringify({ limit, waiting, running: running.size, counts, expected });
  const problems: string[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(resolve);
    if (running.size > most) problems.push(`${running.size} run, and ${most} may: ${state()}`);
    await promise;
    return new Response();
  });
  const host = `127.0.0.1:${server.addr.port}`;
  const module = `export const handler = () => fetch("http://${host}").then(({ ok }) => ok);`;
  const settings = { permissions: { net: [host] }, timeout: 60 };
  const manifest = (limit: number | undefined) => {
    const reservedConcurrency = limit === CONCURRENCY ? undefined : limit;
    const { one } = applicationOf({ ...settings, reservedConcurrency }).functions;
    const functions = limit === undefined ? {} : { one: one! };
    return {
      ...applicationOf(),
      functions: { ...functions, two: { ...one!, code: { ...one!.code, module: "two.ts" } } },
    };
  };
  await using app = await startApp(module, { ...settings, reservedConcurrency: limit }, {
    concurrency: CONCURRENCY,
  });
  await Deno.copyFile(`${app.folder}/one.ts`, `${app.folder}/two.ts`);

  using _releasing = { [Symbol.dispose]: () => [...running, ...former].forEach((end) => end()) };
  const calls: Promise<void>[] = [];
  const call = () => {
    calls.push(
      app.invoke().then(({ json }) => {
        if (json !== true) problems.push(`An invocation answered ${JSON.stringify(json)}`);
        counts.answered++;
      }, ({ message }: Error) => {
        const isKnown = /no such function|reservedConcurrency is 0/.test(message);
        if (!isKnown) problems.push(message);
        counts.refused++;
      }),
    );
    if (limit === 0) expected.refused++;
    else waiting++;
  };
  const release = () => {
    const all = [...running, ...former];
    const one = all[next(all.length)];
    if (one === undefined) return;
    running.delete(one);
    former.delete(one);
    one();
    expected.answered++;
  };
  const change = async (value: number | undefined) => {
    most = Math.max(most, value ?? 0);
    await app.host.reload(manifest(value));
    limit = value ?? 0;
    if (value === undefined) { for (const one of running) former.add(one); }
    if (value === undefined) running.clear();
    if (limit > 0) return;
    expected.refused += waiting;
    waiting = 0;
  };
  /** Waits until as many run as may, and all others are answered. */
  const settle = async () => {
    const begun = Math.max(0, Math.min(waiting, limit - running.size));
    const size = running.size + begun;
    waiting -= begun;
    await until(
      "the state of the model",
      () =>
        problems.length > 0 || running.size === size && counts.answered === expected.answered &&
          counts.refused === expected.refused,
      state,
    );
    assert(problems.length === 0, problems.join("\n"));
    most = Math.max(limit, running.size);
  };

  for (const end = Date.now() + seconds * 1_000; Date.now() < end;) {
    const action = next(10);
    if (action < 5) { for (let count = 1 + next(3); count > 0; count--) call(); }
    else if (action < 8) release();
    else await change([undefined, 0, 1, 2, 3, CONCURRENCY][next(6)]);
    await settle();
  }
  await change(CONCURRENCY);
  for (await settle(); running.size + former.size > 0; await settle()) release();
  await Promise.all(calls);
}
