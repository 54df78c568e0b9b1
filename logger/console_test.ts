import { assertEquals, assertMatch } from "@std/assert";
import { captureConsole } from "./console.ts";
import { withRequestId } from "./mod.ts";
import { loggerState } from "./state.ts";

const state = loggerState();

/** Runs a function with a captured console. The result is one line for each record. */
async function captured(format: "text" | "json", fn: () => unknown): Promise<string[]> {
  const original = { ...console };
  const lines: string[] = [];
  Object.assign(state, { format, write: (line: string) => lines.push(line) });
  state.level = format === "text" ? "TRACE" : "INFO"; // as without a level in the environment
  captureConsole();
  try {
    await withRequestId("8f5e", fn);
  } finally {
    Object.assign(console, original);
  }
  return lines;
}

Deno.test("captureConsole() makes one record of each call, in the format of the function", async () => {
  const error = Object.assign(new Error("no"), { stack: "Error: no\n    at x" });
  const cases: [() => void, string, string][] = [
    [() => console.log("a", { b: 1n }, [2]), "INFO", 'a {"b":"1"} [2]'],
    [() => console.info("100%%"), "INFO", "100%%"],
    [() => console.debug("%s is %d", "x", "5", "y"), "DEBUG", "x is 5 y"],
    [() => console.warn("%i%% %f %j %s", 5.9, "1.5x", { a: 1 }, 0), "WARN", '5% 1.5 {"a":1} 0'],
    [
      () => console.error("%d %i %s %o", 9007199254740993n, {}, Symbol("s")),
      "ERROR",
      "9007199254740993 NaN Symbol(s) %o",
    ],
    [() => console.log("%cbold%c", "color: red", ""), "INFO", "bold"],
    [() => console.log("%s", { a: 1 }), "INFO", '{"a":1}'],
    [() => console.error("failed: %s", error), "ERROR", "failed: Error: no Error: no\r    at x"],
    [() => console.error(error), "ERROR", "Error: no\r    at x"],
    [() => console.trace("here"), "TRACE", "here"],
    [() => console.assert(true, "no"), "", ""],
    [() => console.assert(false, "a", 1), "ERROR", "Assertion failed a 1"],
    [() => console.dir({ a: 1 }, { depth: 1 }), "INFO", '{"a":1}'],
    [() => console.dirxml("a", 1), "INFO", "a 1"],
    [() => console.table([{ a: 1 }]), "INFO", '[{"a":1}]'],
    [() => console.group("a"), "INFO", "a"],
    [() => console.groupCollapsed(), "", ""],
    [() => console.groupEnd(), "", ""],
  ];
  for (const [call, level, text] of cases) {
    const expected = level === "" ? [] : [[level, text]];
    const lines = (await captured("text", call)).map((line) => line.split("\t"));
    assertEquals(lines.map((fields) => fields.slice(2)), expected, text);
    assertEquals(lines.map((fields) => fields[1]), expected.map(() => "8f5e"));
  }
});

Deno.test("captureConsole() writes the parts of an error, and filters by level", async () => {
  const lines = await captured("json", () => {
    console.debug("dropped");
    console.error("failed: %s", new RangeError("no"));
    state.level = "ERROR";
    console.warn("dropped");
    console.error();
  });
  const [first, second] = lines.map((line) => JSON.parse(line));
  assertEquals([first.level, first.requestId], ["ERROR", "8f5e"]);
  assertEquals([first.message, first.errorType], ["failed: RangeError: no", "RangeError"]);
  assertEquals(second.message, "undefined");
  assertEquals(lines.length, 2);
});

Deno.test("captureConsole() counts and measures time", async () => {
  const lines = (await captured("text", () => {
    console.count();
    console.count();
    console.countReset();
    console.count();
    console.time("query");
    console.timeLog("query", "half");
    console.timeEnd("query");
    console.timeLog("query");
    console.time();
    console.timeEnd();
  })).map((line) => line.split("\t")[3]!);
  assertEquals(lines.slice(0, 3), ["default: 1", "default: 2", "default: 1"]);
  assertMatch(lines[3]!, /^query: [\d.]+ ms half$/);
  assertMatch(lines[4]!, /^query: [\d.]+ ms$/);
  assertEquals(lines[5], "query: NaN ms");
  assertMatch(lines[6]!, /^default: [\d.]+ ms$/);
  assertEquals(lines.length, 7);
});
