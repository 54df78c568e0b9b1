import { assertEquals } from "@std/assert";
import { Log } from "../log.ts";
import { createLogStream } from "./log_stream.ts";

async function readAll(body: Uint8Array | ReadableStream<Uint8Array>): Promise<string[]> {
  const text = await new Response(body as ReadableStream<Uint8Array>).text();
  return text.split("\n\n").filter((event) => event.startsWith("id: "));
}

Deno.test("createLogStream() leaves a reader alone that falls far behind", async () => {
  const log = new Log();
  const { body } = createLogStream(log, undefined);
  for (let i = 0; i < 5_000; i++) log.note("x");
  const events = await readAll(body);
  assertEquals(events.length, 2_000);
  assertEquals(events.at(-1)!.split("\n")[0], "id: 2000", "it asks again from there");
});

Deno.test("createLogStream() begins with the last records when there are many", () => {
  const log = new Log(10_000);
  for (let i = 0; i < 5_000; i++) log.note("x");
  const { body } = createLogStream(log, "nonsense");
  log.note("goes on"); // does not throw: the stream is open
  return (body as ReadableStream).cancel();
});
