import { assertEquals } from "@std/assert";
import { until } from "../../testdata/waiting.ts";
import { Stopwatch } from "./stopwatch.ts";

Deno.test("Stopwatch stands still until all who have stopped it let it go on", async () => {
  const time = new Stopwatch();
  const releases = [time.hold(), time.hold()];
  const start = time.now();
  let calls = 0;
  time.after(1, () => calls++);
  const cancel = time.after(1, () => calls += 10);
  const pass = () => new Promise((resolve) => setTimeout(resolve, 50));
  await pass();
  releases[0]!();
  releases[0]!(); // only once
  await pass();
  assertEquals([calls, time.now(), time.isHeld], [0, start, true]);
  cancel();
  releases[1]!();
  assertEquals(time.isHeld, false);
  await until("the call", () => calls > 0);
  await pass();
  assertEquals([calls, time.now() > start], [1, true]);
});
