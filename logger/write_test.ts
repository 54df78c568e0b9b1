import { assertEquals } from "@std/assert";
import type { LoggerState } from "./state.ts";
import { type OutputHost, type Stdout, write } from "./write.ts";

/** The lines that reach `console.log()` in a process with these globals. */
function logged(host: OutputHost, lines: string[]): string[] {
  const { log } = console;
  const seen: string[] = [];
  console.log = (...args: string[]) => seen.push(args.join());
  try {
    const state: LoggerState = { openScopes: 0 };
    for (const line of lines) write(state, line, host);
  } finally {
    console.log = log;
  }
  return seen;
}

Deno.test("write() uses the console on Deno, and on runtimes without a standard output", () => {
  for (const host of [globalThis as OutputHost, {}, { process: {} }]) {
    assertEquals(logged(host, ["a", "b %d"]), ["a", "b %d"]);
  }
});

Deno.test("write() uses the standard output on Node.js, and survives its errors", () => {
  const seen: string[] = [];
  const errors: (Error | null)[] = [null, new Error("closed"), new Error("closed")];
  let listeners = 0;
  const stdout: Stdout = {
    write(text, callback) {
      seen.push(text);
      callback(errors[seen.length - 1]);
      return true;
    },
    listenerCount: () => listeners,
    once(_event, listener) {
      listeners++;
      listener();
    },
  };
  assertEquals(logged({ process: { stdout } }, ["a", "b", "c"]), []);
  assertEquals(seen, ["a\n", "b\n", "c\n"]);
  assertEquals(listeners, 1, "one listener is enough");
});

Deno.test("write() uses the function of the state", () => {
  const lines: string[] = [];
  write({ openScopes: 0, write: (line) => lines.push(line) }, "a");
  assertEquals(lines, ["a"]);
});
