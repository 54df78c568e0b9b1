import { assertEquals } from "@std/assert";
import { Log } from "../log.ts";
import { createLogStream } from "./log_stream.ts";

/** The numbers of the events of a stream that has ended, or of its first events. */
async function numbersOf(body: unknown, count = Infinity): Promise<number[]> {
  const numbers: number[] = [];
  for await (const chunk of (body as ReadableStream<Uint8Array>)) {
    const [, number] = /^id: (\d+)/.exec(new TextDecoder().decode(chunk)) ?? [];
    if (number !== undefined) numbers.push(Number(number));
    if (numbers.length === count) break;
  }
  return numbers;
}

Deno.test("createLogStream() ends the stream of a reader that falls far behind", async () => {
  const log = new Log();
  const { body } = createLogStream(log, undefined);
  for (let i = 0; i < 100; i++) log.note("x".repeat(100_000));
  const numbers = await numbersOf(body);
  assertEquals(numbers, Array.from({ length: 40 }, (_, i) => i + 1), "it asks again from there");
});

Deno.test("createLogStream() begins with the last records if there are many", async () => {
  const log = new Log();
  for (let i = 0; i < 50; i++) log.note("x".repeat(99_900));
  assertEquals(await numbersOf(createLogStream(log, "nonsense").body, 5), [46, 47, 48, 49, 50]);
  assertEquals(await numbersOf(createLogStream(log, "48").body, 2), [49, 50]);
});
