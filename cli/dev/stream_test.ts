import { assertEquals } from "@std/assert";
import { Log } from "../lambda/log.ts";
import { createStream } from "./stream.ts";
import { Traces } from "./traces/traces.ts";

/** Reads the numbers of the first events of a stream, or of all events if it ends. */
async function numbersOf(body: unknown, count = Infinity): Promise<number[]> {
  const numbers: number[] = [];
  for await (const chunk of (body as ReadableStream<Uint8Array>)) {
    const [, number] = /^id: (\d+)/.exec(new TextDecoder().decode(chunk)) ?? [];
    if (number !== undefined) numbers.push(Number(number));
    if (numbers.length === count) break;
  }
  return numbers;
}

Deno.test("createStream() ends the stream of a slow reader", async () => {
  const log = new Log();
  const { body } = createStream(log, new Traces(), undefined);
  for (let i = 0; i < 100; i++) log.note("x".repeat(100_000));
  const numbers = await numbersOf(body);
  assertEquals(
    numbers,
    Array.from({ length: 40 }, (_, i) => i + 1),
    "the reader asks for the rest again",
  );
});

Deno.test("createStream() begins with the last records if there are many", async () => {
  const log = new Log();
  for (let i = 0; i < 50; i++) log.note("x".repeat(99_900));
  assertEquals(await numbersOf(createStream(log, new Traces(), "nonsense").body, 5), [
    46,
    47,
    48,
    49,
    50,
  ]);
  assertEquals(await numbersOf(createStream(log, new Traces(), "48").body, 2), [49, 50]);
});
