import { assertEquals } from "@std/assert";
import { contest, type Effort } from "./contest.ts";
import { negotiation } from "./negotiation.ts";
import { replies } from "./replies.ts";

const ONCE: Effort = { rounds: 1, turn: 0, warmUp: 0 };

Deno.test("contest(): every contestant of every benchmark does the work", async () => {
  for (const workload of [...replies, ...negotiation]) {
    const { times, failures } = await contest(workload, ONCE);
    assertEquals(failures, [], workload.name);
    assertEquals(Object.keys(times), Object.keys(workload.contestants), workload.name);
  }
});

Deno.test("contest() reports a wrong result and does not measure it", async () => {
  for (const workload of [...replies, ...negotiation]) {
    const contestants = { wrong: () => ({ statusCode: 200, headers: {}, body: "" }) };
    const { times, failures } = await contest({ ...workload, contestants }, ONCE);
    assertEquals(failures.map((failure) => failure.slice(0, 6)), ["wrong:"], workload.name);
    assertEquals(times, {}, workload.name);
  }
});
