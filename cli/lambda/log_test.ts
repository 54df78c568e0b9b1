import { assertEquals } from "@std/assert";
import { Log } from "./log.ts";

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
