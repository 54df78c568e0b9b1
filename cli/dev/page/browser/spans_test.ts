import { assertEquals } from "@std/assert";
import { Spans } from "./spans.js";

interface Known {
  readonly id: string;
  readonly parent?: string;
  readonly links?: readonly string[];
  readonly status?: string;
}

/** Makes a span. The identifier is the trace and a number, such as `a1`. */
const span = ({ id, parent, links = [], status = "ok" }: Known) => ({
  id,
  traceId: id[0]!,
  parent,
  links: links.map((spanId) => ({ traceId: spanId[0], spanId })),
  type: "invocation",
  name: id,
  start: Number(id.slice(1)),
  end: Number(id.slice(1)) + 5,
  status,
  attributes: { "faas.name": id, "mate.trigger.type": "queue", "mate.trigger.name": "jobs" },
});

function spansOf(...all: Known[]) {
  const spans = new Spans((draw: () => void) => draw());
  for (const one of all) spans.put(span(one));
  return spans;
}

const draw = (spans: Spans, traceId: string) =>
  spans.treeOf(traceId).map(({ depth, span: { id }, isLinked }) =>
    `${"  ".repeat(depth)}${id}${isLinked ? " linked" : ""}`
  );

const listed = (spans: Spans) => spans.list().map(({ traceId }) => traceId);

Deno.test("a trace contains what a link puts below its spans, also of other traces", () => {
  const spans = spansOf(
    { id: "a1" },
    { id: "a2", parent: "a1" },
    { id: "b3" },
    { id: "c4", links: ["a2", "b3"] },
    { id: "c5", parent: "c4", status: "failed" },
  );
  assertEquals(draw(spans, "a"), ["a1", "  a2", "    c4 linked", "      c5"]);
  assertEquals(draw(spans, "b"), ["b3", "  c4 linked", "    c5"]);
  assertEquals(listed(spans), ["b", "a"], "what stands in others is not listed by itself");
  const failures = () => spans.list().map((trace) => trace.failures);
  assertEquals(failures(), [1, 1]);
  spans.put(span({ id: "c5", parent: "c4" }));
  assertEquals(failures(), [0, 0], "a change below a link changes both traces");
});

Deno.test("spans that cause each other in a circle are shown once", () => {
  const spans = spansOf({ id: "a1", links: ["b2"] }, { id: "b2", links: ["a1"] });
  assertEquals(draw(spans, "a"), ["a1", "  b2 linked"]);
  assertEquals(draw(spans, "b"), ["b2", "  a1 linked"]);
});

Deno.test("children may come before their parents, and a parent may be unknown", () => {
  const spans = spansOf({ id: "a2", parent: "a1" }, { id: "a3", parent: "a9" });
  assertEquals(draw(spans, "a"), ["a2", "a3"]);
  spans.put(span({ id: "a1" }));
  assertEquals(draw(spans, "a"), ["a1", "  a2", "a3"]);
});

Deno.test("the oldest trace goes first, and what stood below it is listed then", () => {
  const spans = spansOf({ id: "a1" }, { id: "b2", links: ["a1"] });
  assertEquals(listed(spans), ["a"]);
  for (let number = 0; number < 9_999; number++) spans.put(span({ id: `c${10 + number}` }));
  assertEquals(listed(spans), ["c", "b"]);
  spans.clear();
  assertEquals(listed(spans), []);
});

Deno.test("the words of the map find the traces of a place", () => {
  const [trace] = spansOf({ id: "a1" }).list();
  assertEquals(["function:a1", "queue:jobs", "table:jobs"].map((w) => trace!.text.includes(w)), [
    true,
    true,
    false,
  ]);
});
