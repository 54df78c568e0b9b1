import { assertEquals } from "@std/assert";
import { explain } from "./history.ts";
import * as lock from "./lock.ts";
import * as pool from "./pool.ts";
import * as restarts from "./restarts.ts";
import * as s3 from "./s3.ts";
import * as sqs from "./sqs.ts";

/** Makes random numbers from 0 to below a limit. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return (Math.imul(state ^ state >>> 12, 0x297a2d39) >>> 0) % limit;
  };
}

/** Each model, and the time for it in seconds. `deno task models` can name a longer time, and a seed. */
const models = [
  ["Amazon S3 answers clients that race, a kill and a full disk as its model allows", s3, 3],
  ["the sandboxes of a function answer racing callers as their model allows", pool, 1.5],
  ["one platform at a time holds a folder of data, also if it is killed", lock, 0.5],
  ["the ports answer every request during changes of the manifest", restarts, 1.5],
  ["Amazon SQS keeps its promises to clients that race and go away", sqs, 1],
] as const;
for (const [name, model, time] of models) {
  const [seconds = time, seed = Date.now() % 1e9] = Deno.args.map(Number);
  Deno.test(name, { timeout: 600_000 + 10_000 * seconds }, async () => {
    try {
      await model.run(seconds, randomFrom(seed));
    } catch (error) {
      throw new Error(`With the seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  });
}

Deno.test("explain() finds the orders of requests that explain the answers, and no others", () => {
  const write = (value: string) => () => [value];
  const read = (value: string) => (found: string) => found === value ? [found] : [];
  const step = (
    start: number,
    end: number,
    apply: (value: string) => string[],
    isOptional = false,
  ) => ({ start, end, apply, isOptional, shown: "" });
  const of = (...steps: ReturnType<typeof step>[]) => [...explain(steps, new Set(["a"]))];
  assertEquals(of(step(0, 1, write("b")), step(2, 3, read("b"))), ["b"]);
  assertEquals(of(step(0, 1, write("b")), step(2, 3, read("a"))), []);
  assertEquals(of(step(0, 3, write("b")), step(1, 2, read("a"))), ["b"], "at the same time");
  assertEquals(of(step(0, 9, write("b")), step(1, 2, read("b")), step(3, 4, read("a"))), []);
  const lost = step(0, Infinity, write("b"), true);
  assertEquals(of(lost, step(1, 2, read("a"))).sort(), ["a", "b"]);
  assertEquals(of(lost, step(1, 2, read("b"))), ["b"]);
});
