/** Catches the records of a function before they are written. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { loggerState } from "../state.ts";
import { withRequestId } from "../mod.ts";

export const state = loggerState();
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The records of a function, one line each. */
export function recordsOf(format: "text" | "json", fn: () => void): string[] {
  const lines: string[] = [];
  Object.assign(state, { format, level: "TRACE", write: (line: string) => lines.push(line) });
  withRequestId("8f5e", fn);
  return lines;
}

/** The level and the text of the only record of a function. */
export function textOf(fn: () => void): string {
  const lines = recordsOf("text", fn);
  assertEquals(lines.length, 1);
  const [time, id, level, ...rest] = lines[0]!.split("\t");
  assertMatch(time!, TIME);
  assertEquals(id, "8f5e");
  return `${level} ${rest.join("\t")}`;
}

/** The only record of a function, without its time and its request id. */
// deno-lint-ignore no-explicit-any -- parsed JSON
export function jsonOf(fn: () => void): any {
  const lines = recordsOf("json", fn);
  assertEquals(lines.length, 1);
  assert(!lines[0]!.includes("\n"));
  const { timestamp, requestId, ...rest } = JSON.parse(lines[0]!);
  assertMatch(timestamp, TIME);
  assertEquals(requestId, "8f5e");
  return rest;
}

/** An error with a cause and another property. */
export function sample(): Error {
  const cause = Object.assign(new Error("timed out"), {
    stack: "Error: timed out\n    at connect",
  });
  return Object.assign(new TypeError("no supplier", { cause }), {
    stack: "TypeError: no supplier\n    at order\n    at main",
    code: "E42",
  });
}
/** The parts of {@linkcode sample} in a JSON record. */
export const PARTS = {
  errorType: "TypeError",
  errorMessage: "no supplier",
  stackTrace: ["TypeError: no supplier", "    at order", "    at main"],
  cause: {
    errorType: "Error",
    errorMessage: "timed out",
    stackTrace: ["Error: timed out", "    at connect"],
  },
};
/** The error of {@linkcode sample} in a text record. */
export const STACKS = 'TypeError: no supplier\r    at order\r    at main {"code":"E42"}' +
  "\r[cause]: Error: timed out\r    at connect";
