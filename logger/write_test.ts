import { assertEquals } from "@std/assert";
import type { LoggerState } from "./state.ts";
import { type Stdout, write } from "./write.ts";

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
  const state: LoggerState = { openScopes: 0 };
  for (const line of ["a", "b\rc", "d"]) write(state, line, { process: { stdout } });
  assertEquals(seen, ["a\n", "b\rc\n", "d\n"]);
  assertEquals(listeners, 1, "one listener is enough");
});

Deno.test("write() uses the function of the state", () => {
  const lines: string[] = [];
  write({ openScopes: 0, write: (line) => lines.push(line) }, "a");
  assertEquals(lines, ["a"]);
});

Deno.test("write() does not touch process on Deno, because that costs milliseconds", () => {
  let isTouched = false;
  const state: LoggerState = { openScopes: 0 };
  write(state, "a line of the test of write()", {
    Deno: { stdout: { isTerminal: () => false } },
    get process() {
      isTouched = true;
      return {};
    },
  });
  assertEquals(isTouched, false);
});
