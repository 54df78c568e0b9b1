import { assertEquals, assertMatch } from "@std/assert";
import {
  createSpanId,
  readTraceHeader,
  rootOf,
  withoutLineage,
  withParent,
  withRoot,
} from "./trace_header.ts";

// The header and its parts are those of AWS's guide to X-Ray, "Tracing header".
const ROOT = "Root=1-5759e988-bd862e3fe1be46a994272793";
const traceId = "5759e988bd862e3fe1be46a994272793";
const parent = "53995c3f42cd8ad8";

Deno.test("readTraceHeader() reads the root and the parent, and ignores other forms", () => {
  const cases = [
    [`${ROOT};Parent=${parent};Sampled=1`, { traceId, parent }],
    [`Sampled=1; ${ROOT.toUpperCase().replace("ROOT", "Root")}`, { traceId, parent: undefined }],
    [`Self=1-67891234-12456789abcdef012345678;${ROOT}`, { traceId, parent: undefined }],
    [`${ROOT};Parent=none`, { traceId, parent: undefined }],
    [`${ROOT}0`, {}],
    [`Parent=${parent}`, {}],
    ["", {}],
    [undefined, {}],
  ] as const;
  for (const [header, expected] of cases) assertEquals(readTraceHeader(header), expected, header);
});

Deno.test("withRoot() keeps a header with a root, and begins a trace for any other", () => {
  assertEquals(withRoot(`${ROOT};Sampled=1`), `${ROOT};Sampled=1`);
  const time = new Date("2026-01-01T00:00:00Z");
  for (const header of ["Root=1-2-3;Parent=1;Lineage=a87bd80c:1", " Root=;Lineage=a87bd80c:1"]) {
    assertMatch(withRoot(header, time), /^Root=1-6955b900-[\da-f]{24};Lineage=a87bd80c:1$/);
  }
  assertMatch(withRoot(), /^Root=1-[\da-f]{8}-[\da-f]{24}$/);
});

Deno.test("withParent() replaces the parent and keeps the other parts", () => {
  const lineage = "Lineage=a87bd80c:1|68fd508a:5";
  const id = "0123456789abcdef";
  assertEquals(withParent(ROOT, id), `${ROOT};Parent=${id};Sampled=0`);
  const header = `${ROOT};Parent=${parent};Sampled=1;${lineage}`;
  assertEquals(withParent(header, id), `${ROOT};Parent=${id};Sampled=0;${lineage}`);
  assertEquals(withoutLineage(header), `${ROOT};Parent=${parent};Sampled=1`);
  assertEquals(rootOf(traceId), ROOT);
  assertMatch(createSpanId(), /^[\da-f]{16}$/);
});
