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
    ["    at f (file:///var/task/%:1:3)"], // no percent-encoding
    ["    at f (file:///var/task/../task/index.mjs:1:3)"],
    [`    at ${"/x\n    at ".repeat(1e5)}`],
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

Deno.test("stackMapper() maps at most 100 frames of one stack", () => {
  const frame = "    at file:///var/task/index.mjs:1:1\n";
  const mapped = mapperOf(SMALL)(frame.repeat(150));
  assertEquals(mapped, "    at src/a.ts:1:1\n".repeat(100) + frame.repeat(50));
});

Deno.test("stackMapper() keeps the maps of 50 modules, and looks for a map once that cannot be read", () => {
  const reads: string[] = [];
  const translate = stackMapper(ROOT, (path) => {
    reads.push(path);
    return path.includes("missing") ? undefined : JSON.stringify(SMALL);
  });
  const frame = (module: string) => `    at file://${ROOT}/${module}.mjs:1:1`;
  const ask = (module: string) => translate(frame(module)) !== frame(module);
  const modules = Array.from({ length: 50 }, (_, index) => `m${index}`);
  for (let turn = 0; turn < 2; turn++) {
    for (const module of modules) assertEquals(ask(module), true);
  }
  assertEquals(reads.length, 50);
  ask("m0"); // so m1 is the one whose last use is the longest ago
  ask("m50");
  ask("m0");
  assertEquals(reads.length, 51);
  ask("m1");
  assertEquals(reads.length, 52);
  reads.length = 0;
  for (let turn = 0; turn < 2; turn++) {
    for (let index = 0; index < 100; index++) assertEquals(ask(`missing${index}`), false);
  }
  assertEquals(reads.length, 100);
});
