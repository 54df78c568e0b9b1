import { assertEquals } from "@std/assert";
import { Log } from "./log.ts";

Deno.test("Log keeps the last records, however many there were", () => {
  const log = new Log(3);
  for (let i = 1; i <= 10; i++) log.note(`record ${i}`);
  assertEquals(log.after(0).map(({ number, text }) => [number, text]), [
    [8, "record 8"],
    [9, "record 9"],
    [10, "record 10"],
  ]);
  assertEquals(log.after(9).map(({ number }) => number), [10]);
  assertEquals(log.after(10), []);
});

Deno.test("Log tells every follower of every record, until it stops", () => {
  const log = new Log();
  const seen: string[] = [];
  const stopOne = log.follow(({ text }) => seen.push(`one: ${text}`));
  log.follow(({ text }) => seen.push(`two: ${text}`));
  log.note("a");
  stopOne();
  log.note("b");
  assertEquals(seen, ["one: a", "two: a", "two: b"]);
});
