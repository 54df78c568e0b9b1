import { assertEquals } from "@std/assert";
import { contest } from "./contest.ts";
import type { Effort } from "./_rounds.ts";
import { hostile } from "./workloads/hostile.ts";
import { negotiation } from "./workloads/negotiation.ts";
import { replies } from "./workloads/replies.ts";

const ONCE: Effort = { rounds: 1, turn: 0, warmUp: 0 };

for (const workload of [...replies, ...negotiation()]) {
  Deno.test(`benchmark "${workload.name}": every contestant does the work`, async () => {
    const [result] = await contest([workload], ONCE);
    assertEquals(result!.failures, []);
    assertEquals(
      result!.timings.map(({ name }) => name),
      workload.contestants.map(({ name }) => name),
    );
  });

  Deno.test(`benchmark "${workload.name}": a wrong result is told and not timed`, async () => {
    const [floor] = workload.contestants;
    const wrong = { name: "wrong", run: () => ({ statusCode: 200, headers: {}, body: "" }) };
    const [result] = await contest([{ ...workload, contestants: [floor!, wrong] }], ONCE);
    assertEquals(result!.failures.map((failure) => failure.slice(0, 6)), ["wrong:"]);
    assertEquals(result!.timings.map(({ name }) => name), [floor!.name]);
  });
}

Deno.test("benchmark of hostile headers: every shape has its cost", () => {
  for (const { shape, cost, growth } of hostile(0)) {
    assertEquals([...cost, ...Object.values(growth)].every((number) => number > 0), true, shape);
  }
});
