import { encodedMappings, originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { stackMapper } from "./source_map.ts";

const ROOT = "/var/task";
const SOURCES = ["src/a.ts", "src/b.ts", "../lib/c.ts"];

/** Makes a mapper that knows one map. */
function mapperOf(map: unknown, reads: string[] = []): (stack: string) => string {
  return stackMapper(ROOT, (path) => {
    reads.push(path);
    if (path !== `${ROOT}/index.mjs.map`) return undefined;
    return typeof map === "string" ? map : JSON.stringify(map);
  });
}

const SMALL = { version: 3, sources: ["src/a.ts"], mappings: "AAAA,EAAE", names: [] };

Deno.test("stackMapper() finds the positions that @jridgewell/trace-mapping finds", () => {
  const number = fc.oneof(fc.nat(40), fc.nat(3_000_000));
  const segment = fc.oneof(
    fc.tuple(number, fc.nat(SOURCES.length - 1), number, number),
    fc.tuple(number, fc.nat(SOURCES.length - 1), number, number, fc.constant(0)),
  );
  const property = fc.property(
    fc.array(fc.uniqueArray(segment, { selector: ([column]) => column, maxLength: 9 }), {
      maxLength: 5,
    }),
    fc.array(fc.record({ line: fc.integer({ min: 1, max: 7 }), column: number }), { minLength: 1 }),
    (lines, positions) => {
      const mappings = lines.map((line) => line.toSorted(([a], [b]) => a! - b!));
      const decoded = new TraceMap({ version: 3, sources: SOURCES, names: ["n"], mappings });
      const map = {
        version: 3,
        sources: SOURCES,
        names: ["n"],
        mappings: encodedMappings(decoded),
      };
      const translate = mapperOf(map);
      for (const { line, column } of positions) {
        const found = originalPositionFor(decoded, { line, column });
        const expected = found.source === null
          ? `    at f (file:///var/task/index.mjs:${line}:${column + 1})`
          : `    at f (${found.source}:${found.line}:${found.column! + 1})`;
        const frame = `    at f (file:///var/task/index.mjs:${line}:${column + 1})`;
        assertEquals(translate(frame), expected);
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});

Deno.test("stackMapper() translates the frames of each form, and nothing else", () => {
  const translate = mapperOf(SMALL);
  for (
    const [line, expected] of [
      ["    at f (file:///var/task/index.mjs:1:3)", "    at f (src/a.ts:1:3)"],
      ["    at file:///var/task/index.mjs:1:1", "    at src/a.ts:1:1"],
      ["    at async g.h (/var/task/index.mjs:1:2)", "    at async g.h (src/a.ts:1:1)"],
      ["Error: at /var/task/index.mjs:1:1"],
      ["    at f (file:///var/task/other.mjs:1:1)"],
      ["    at f (file:///elsewhere/index.mjs:1:1)"],
      ["    at f (ext:core/01_core.js:1:1)"],
      ["    at f (file:///var/task/index.mjs:2:1)"],
      ["    at f (<anonymous>)"],
      [`    at ${"/".repeat(1e6)}`], // takes minutes unless the time is linear
      [`    at ${"(".repeat(1e6)}`],
      ["    at f (a) (file:///var/task/index.mjs:1:3)", "    at f (a) (src/a.ts:1:3)"],
    ] as const
  ) {
    const stack = `Error: x\n${line}\n    at native`;
    assertEquals(translate(stack), `Error: x\n${expected ?? line}\n    at native`);
  }
});

Deno.test("stackMapper() puts the root of the sources before their names", () => {
  const translate = mapperOf({ ...SMALL, sourceRoot: "app/" });
  assertEquals(translate("at /var/task/index.mjs:1:1"), "at app/src/a.ts:1:1");
});

Deno.test("stackMapper() reads each map once, and only below its root", () => {
  const reads: string[] = [];
  const translate = mapperOf(SMALL, reads);
  assertEquals(reads, []);
  for (const path of ["/var/task/index.mjs", "/var/task/a%20b.mjs", "/var/taskless.mjs"]) {
    for (let i = 0; i < 2; i++) translate(`    at file://${path}:1:1`);
  }
  assertEquals(reads, ["/var/task/index.mjs.map", "/var/task/a b.mjs.map"]);
});

Deno.test("stackMapper() leaves a stack as it is if the map is malformed", () => {
  const stack = "Error: x\n    at file:///var/task/index.mjs:1:1";
  for (const map of ["{", "null", '{"sources":[]}', '{"sources":[null],"mappings":5}']) {
    assertEquals(mapperOf(map)(stack), stack, map);
  }
});
