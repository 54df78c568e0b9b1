import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { assertEquals } from "@std/assert";
import { Hider } from "./hide.ts";
import { toOtlp } from "./otlp.ts";
import { showSpan } from "./detail.ts";
import { Traces } from "./traces.ts";

type ReadableSpan = Parameters<typeof JsonTraceSerializer.serializeRequest>[0][number];

const traceId = "5759e988bd862e3fe1be46a994272793";

/** Spans with every kind of attribute, link, event and status. */
function record(): Traces {
  const traces = new Traces();
  traces.hider.setSecrets(["s3cret"]);
  const request = traces.begin({
    traceId,
    type: "request",
    kind: "server",
    name: "GET /v0/a",
    start: 1_764_308_183_123.457,
    attributes: { "http.request.method": "GET", "http.response.status_code": 200 },
  });
  const invocation = traces.begin({
    traceId,
    parent: request,
    links: [{ traceId: traceId.replace("5", "6"), spanId: "53995c3f42cd8ad8" }],
    type: "invocation",
    kind: "consumer",
    name: "f",
    attributes: {
      "faas.name": "f",
      "faas.invocation_id": "r",
      "faas.coldstart": true,
      "mate.duration": 1.5,
      "mate.messages": ["a", "b"],
    },
  });
  traces.addLine({
    time: new Date(5),
    functionName: "f",
    text: "is s3cret",
    requestId: "r",
    number: 1,
  });
  for (const kind of ["client", "producer"] as const) {
    const attributes = { "faas.name": "f" };
    traces.begin({ traceId, parent: invocation, type: "call", kind, name: kind, attributes });
  }
  const error = { type: "TypeError", message: "no", stack: ["at f (f.ts:1:1)"] };
  traces.end(invocation, { status: "failed", error });
  traces.end(request, { status: "ok" });
  return traces;
}

/** The spans as the SDK of OpenTelemetry has them. */
function readableSpans(traces: Traces): ReadableSpan[] {
  const hrTime = (time: number): [number, number] => {
    const whole = Math.floor(time);
    return [
      Math.floor(whole / 1_000),
      whole % 1_000 * 1e6 + Math.round((time - whole) * 1e6),
    ];
  };
  const contextOf = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: 0 });
  const resources = new Map<string, object>();
  const scope = { name: "@mate/cli" };
  return traces.list().map((recording) => {
    const span = showSpan(recording, traces.hider);
    const name = span.type === "request" ? "app" : span.attributes["faas.name"]!;
    const attributes = { "service.namespace": "app", "service.name": name };
    const resource = resources.get(name) ?? { attributes, asyncAttributesPending: false };
    resources.set(name, resource);
    const end = hrTime(span.end ?? span.start);
    const { error } = span;
    return {
      name: span.name,
      kind: ["internal", "server", "client", "producer", "consumer"].indexOf(span.kind),
      spanContext: () => contextOf(span.traceId, span.id),
      parentSpanContext: span.parent && contextOf(span.traceId, span.parent),
      startTime: hrTime(span.start),
      endTime: end,
      status: span.status === "failed" ? { code: 2, message: error!.message } : { code: 0 },
      attributes: span.attributes,
      links: span.links.map(({ traceId, spanId }) => ({ context: contextOf(traceId, spanId) })),
      events: [
        ...recording.lines.map(({ time, text }) => ({
          name: "log",
          time: hrTime(time),
          attributes: { "log.record.original": traces.hider.text(text) },
        })),
        ...error
          ? [{
            name: "exception",
            time: end,
            attributes: {
              "exception.type": error.type,
              "exception.message": error.message,
              "exception.stacktrace": error.stack!.join("\n"),
            },
          }]
          : [],
      ],
      resource,
      instrumentationScope: scope,
    } as unknown as ReadableSpan;
  });
}

/**
 * Removes what says the same as its absence: counts of 0, empty lists, and the flags of a parent. Writes integers as texts: the rules
 * of protobuf for JSON want that for 64 bits, and readers take both.
 */
const withoutDefaults = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, one) =>
      /^dropped|^flags$/.test(key) || Array.isArray(one) && one.length === 0
        ? undefined
        : key === "intValue"
        ? String(one)
        : one),
  );

// The expectation is the JSON of the exporter of OpenTelemetry for the same spans.
Deno.test("toOtlp() writes the JSON that the exporter of OpenTelemetry writes", () => {
  const traces = record();
  const bytes = JsonTraceSerializer.serializeRequest(readableSpans(traces))!;
  const expected = JSON.parse(new TextDecoder().decode(bytes));
  const written = toOtlp(traces.list(), "app", traces.hider);
  assertEquals(withoutDefaults(written), withoutDefaults(expected));
  assertEquals(JSON.stringify(written).includes("s3cret"), false);
  assertEquals(toOtlp([], "app", new Hider()), { resourceSpans: [] });
});
