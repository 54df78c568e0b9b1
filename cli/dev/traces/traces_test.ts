import { assertEquals } from "@std/assert";
import { keep, type Recording, Traces } from "./traces.ts";

const traceOf = (number: number) => String(number).padStart(32, "0");

const begin = (traces: Traces, trace: number, requestId: string = crypto.randomUUID()) =>
  traces.begin({
    traceId: traceOf(trace),
    type: "invocation",
    kind: "server",
    name: "f",
    attributes: { "faas.invocation_id": requestId },
  });

const tracesIn = (traces: Traces) =>
  new Set(traces.list().map(({ span: { traceId } }) => Number(traceId)));

Deno.test("Traces forgets the oldest trace as a whole if there are too many spans or bytes", () => {
  const many = new Traces({ spans: 5 });
  for (const trace of [1, 2, 1, 3, 2, 4]) begin(many, trace);
  assertEquals([...tracesIn(many)], [2, 3, 4]);
  const large = new Traces({ bytes: 20_000 });
  const id = begin(large, 1, "r");
  large.end(begin(large, 2), { status: "ok", result: keep(new Uint8Array(9_000)) });
  for (const text of ["x".repeat(4_000), "y"]) {
    large.addLine({ time: new Date(), functionName: "f", text, requestId: "r", number: 1 });
  }
  assertEquals([...tracesIn(large)], [1, 2]);
  begin(large, 3);
  large.end(id, { status: "ok", result: keep(new Uint8Array(100)) });
  assertEquals([...tracesIn(large)], [2, 3], "the lines count, too");
  assertEquals([large.find(id), large.findInvocation("r")], [undefined, undefined]);
});

Deno.test("Traces keeps its memory level, whatever comes", () => {
  const traces = new Traces({ spans: 100, bytes: 100_000 });
  for (let i = 0; i < 5_000; i++) {
    const id = begin(traces, i % 7 === 0 ? 0 : i, `${i}`);
    traces.addLine({
      time: new Date(),
      functionName: "f",
      text: "line",
      requestId: `${i}`,
      number: i,
    });
    traces.end(id, { status: "ok", result: keep(new Uint8Array(i % 3_000)) });
  }
  const kept = traces.list();
  assertEquals(kept.length <= 100 && kept.length > 20, true, `${kept.length}`);
  traces.clear();
  assertEquals(traces.list(), []);
  assertEquals(traces.findInvocation("4999"), undefined);
});

Deno.test("Traces gives a line of the log to the last attempt of its invocation, and keeps the last lines", () => {
  const traces = new Traces();
  const [first, second] = [begin(traces, 1, "r"), begin(traces, 1, "r")];
  const write = (text: string, requestId?: string) =>
    traces.addLine({
      time: new Date(5),
      functionName: "f",
      text,
      number: 1,
      ...requestId && { requestId },
    });
  write("a", "r");
  write("nobody's");
  write("another's", "s");
  assertEquals(traces.find(first)!.lines, []);
  assertEquals(traces.find(second)!.lines, [{ time: 5, text: "a" }]);
  for (let i = 0; i < 4; i++) write("x".repeat(100_000), "r");
  assertEquals(traces.find(second)!.lines.map(({ text }) => text.length), [100_000, 100_000]);
});

Deno.test("keep() copies a payload, and cuts a large one", () => {
  const bytes = new Uint8Array(300_000);
  assertEquals([keep(bytes).bytes.length, keep(bytes).size], [65_536, 300_000]);
  const small = bytes.subarray(0, 10);
  assertEquals([keep(small).bytes.buffer.byteLength, keep(small).size], [10, 10]);
});

Deno.test("follow() is told of each begin and end, and of the removal of all", () => {
  const traces = new Traces();
  const told: unknown[] = [];
  const stop = traces.follow((change: Recording | "clear") =>
    told.push(change === "clear" ? change : [change.span.status, change.span.name])
  );
  const id = begin(traces, 1);
  traces.end(id, { status: "refused", name: "g" });
  traces.clear();
  stop();
  begin(traces, 2);
  assertEquals(told, [["running", "f"], ["refused", "g"], "clear"]);
});
