import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { LogLines, LogTail } from "./log_lines.ts";

/** The lines that are made of chunks. */
async function linesOf(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const lines: string[] = [];
  const encoder = new TextEncoder();
  await new LogLines((line) => lines.push(line)).read(ReadableStream.from(
    chunks.map((chunk) => typeof chunk === "string" ? encoder.encode(chunk) : chunk),
  ));
  return lines;
}

Deno.test("LogLines makes a record of every line, wherever the chunks are cut", async () => {
  assertEquals(await linesOf("one\ntw", "o\n", "\nthree\rfour"), ["one", "two", "", "three\rfour"]);
  const bytes = new TextEncoder().encode("a€b\n");
  assertEquals(await linesOf(bytes.subarray(0, 2), bytes.subarray(2)), ["a€b"]);
  await fc.assert(fc.asyncProperty(fc.array(fc.string()), async (chunks) => {
    const expected = chunks.join("").split("\n");
    if (expected.at(-1) === "") expected.pop();
    assertEquals(await linesOf(...chunks), expected);
  }));
});

Deno.test("LogLines cuts what is longer than a record can be, and loses nothing", async () => {
  const long = "x".repeat(600_000);
  const lines = await linesOf(`${long}\n`, long);
  assertEquals(lines.every(({ length }) => length <= 262_144), true);
  assertEquals(lines.join(""), long + long);
});

Deno.test("LogTail keeps the last 4,096 bytes, cut between characters", () => {
  const tail = new LogTail();
  tail.add("short");
  assertEquals(tail.toString(), "short\n");
  for (let i = 0; i < 5_000; i++) tail.add(`line ${i} €`);
  const all = Array.from({ length: 5_000 }, (_, i) => `line ${i} €\n`).join("");
  const text = tail.toString();
  assertEquals(all.endsWith(text), true);
  const size = new TextEncoder().encode(text).length;
  assertEquals(size <= 4_096 && size > 4_092, true, `${size} bytes`);
  tail.add("€".repeat(3_000));
  assertEquals(tail.toString(), "€".repeat(1_365) + "\n");
});
