import { assertEquals } from "@std/assert";
import { Log } from "./log.ts";
import { createLogStream } from "../dev/page/pages.ts";

Deno.test("Log keeps the last records within its capacity, and always the last one", () => {
  const log = new Log(350);
  for (let i = 1; i <= 100; i++) log.note(`record ${i}`);
  assertEquals(log.after(0).map(({ number, text }) => [number, text]), [
    [98, "record 98"],
    [99, "record 99"],
    [100, "record 100"],
  ]);
  assertEquals(log.after(99).map(({ number }) => number), [100]);
  assertEquals(log.after(100), []);
  assertEquals(log.after(0, 220).map(({ number }) => number), [99, 100]);
  log.note("x".repeat(1_000));
  assertEquals(log.after(0).map(({ number }) => number), [101]);
});

Deno.test("Log passes every record to a follower until the follower stops", () => {
  const log = new Log();
  const seen: string[] = [];
  const stopOne = log.follow(({ text }) => seen.push(`one: ${text}`));
  log.follow(({ text }) => seen.push(`two: ${text}`));
  log.note("a");
  stopOne();
  log.note("b");
  assertEquals(seen, ["one: a", "two: a", "two: b"]);
});

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

Deno.test("createLogStream() ends the stream of a slow reader", async () => {
  const log = new Log();
  const { body } = createLogStream(log, undefined);
  for (let i = 0; i < 100; i++) log.note("x".repeat(100_000));
  const numbers = await numbersOf(body);
  assertEquals(
    numbers,
    Array.from({ length: 40 }, (_, i) => i + 1),
    "the reader asks for the rest again",
  );
});

Deno.test("createLogStream() begins with the last records if there are many", async () => {
  const log = new Log();
  for (let i = 0; i < 50; i++) log.note("x".repeat(99_900));
  assertEquals(await numbersOf(createLogStream(log, "nonsense").body, 5), [46, 47, 48, 49, 50]);
  assertEquals(await numbersOf(createLogStream(log, "48").body, 2), [49, 50]);
});
