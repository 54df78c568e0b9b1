import { assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { LogLines, LogTail } from "./log_lines.ts";

/** Returns the lines of some chunks. */
async function linesOf(...chunks: (string | Uint8Array)[]): Promise<string[]> {
  const lines: string[] = [];
  const encoder = new TextEncoder();
  await new LogLines((line) => lines.push(line)).read(ReadableStream.from(
    chunks.map((chunk) => typeof chunk === "string" ? encoder.encode(chunk) : chunk),
  ));
  return lines;
}

Deno.test("LogLines makes a record of every line, wherever a chunk ends", async () => {
  assertEquals(await linesOf("one\ntw", "o\n", "\nthree\rfour"), ["one", "two", "", "three\rfour"]);
  const bytes = new TextEncoder().encode("a€b\n");
  assertEquals(await linesOf(bytes.subarray(0, 2), bytes.subarray(2)), ["a€b"]);
  await fc.assert(fc.asyncProperty(fc.array(fc.string()), async (chunks) => {
    const expected = chunks.join("").split("\n");
    if (expected.at(-1) === "") expected.pop();
    assertEquals(await linesOf(...chunks), expected);
  }));
});

Deno.test("LogLines cuts a line that is longer than a record, and loses nothing", async () => {
  const long = "x".repeat(600_000);
  const lines = await linesOf(`${long}\n`, long);
  assertEquals(lines.every(({ length }) => length <= 262_144), true);
  assertEquals(lines.join(""), long + long);
});

Deno.test("LogTail keeps the last 4,096 bytes, cut between characters", () => {
  const short = new LogTail();
  short.add("short");
  assertEquals(short.toString(), "short\n");
  // The limit falls between two characters, and on each byte within one.
  for (const character of ["€", "👩"]) {
    for (const end of ["", "a", "ab", "abc"]) {
      const tail = new LogTail();
      for (let i = 0; i < 9; i++) tail.add(character.repeat(500));
      tail.add(end);
      const rest = `\n${end}\n`;
      const all = `${character.repeat(500)}\n`.repeat(9).slice(0, -1) + rest;
      const text = tail.toString();
      const size = new TextEncoder().encode(text).length;
      const width = new TextEncoder().encode(character).length;
      assertEquals(all.endsWith(text), true, text.slice(0, 3));
      assertEquals(size <= 4_096 && size > 4_096 - width, true, `${size} bytes`);
    }
  }
});
