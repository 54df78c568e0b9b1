import { assertEquals } from "@std/assert";
import { stackMapper } from "./source_map.ts";

const ROOT = "/var/task";

/** Makes a mapper with one map. */
function mapperOf(map: unknown, reads: string[] = []): (stack: string) => string {
  return stackMapper(ROOT, (path) => {
    reads.push(path);
    if (path !== `${ROOT}/index.mjs.map`) return undefined;
    return typeof map === "string" ? map : JSON.stringify(map);
  });
}

/** Line 1: columns 1 and 3 are line 1 of a.ts. Line 2: column 5 is line 4, column 7 of b.ts. */
const SMALL = { version: 3, sources: ["src/a.ts", "../lib/b.ts"], mappings: "AAAA,EAAE;ICGI" };

Deno.test("stackMapper() translates the frames of each form, and nothing else", () => {
  const translate = mapperOf(SMALL);
  const cases = [
    ["    at f (file:///var/task/index.mjs:1:3)", "    at f (src/a.ts:1:3)"],
    ["    at file:///var/task/index.mjs:1:1", "    at src/a.ts:1:1"],
    ["    at async g.h (/var/task/index.mjs:1:2)", "    at async g.h (src/a.ts:1:1)"],
    ["Error: at /var/task/index.mjs:1:1"],
    ["    at f (file:///var/task/other.mjs:1:1)"],
    ["    at f (file:///elsewhere/index.mjs:1:1)"],
    ["    at f (ext:core/01_core.js:1:1)"],
    ["    at f (file:///var/task/index.mjs:2:4)"],
    ["    at f (file:///var/task/index.mjs:2:5)", "    at f (../lib/b.ts:4:7)"],
    ["    at f (file:///var/task/index.mjs:2:99)", "    at f (../lib/b.ts:4:7)"],
    ["    at f (file:///var/task/index.mjs:3:1)"],
    ["    at f (<anonymous>)"],
    [`    at ${"/".repeat(1e6)}`], // if the time is not linear, this takes minutes
    [`    at ${"(".repeat(1e6)}`],
    ["    at f (a) (file:///var/task/index.mjs:1:3)", "    at f (a) (src/a.ts:1:3)"],
  ] as const;
  for (const [line, expected] of cases) {
    const stack = `Error: x\n${line}\n    at native`;
    assertEquals(translate(stack), `Error: x\n${expected ?? line}\n    at native`);
  }
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
