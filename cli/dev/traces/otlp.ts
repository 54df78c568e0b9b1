import type { Hider } from "./hide.ts";
import type { Attributes, Span } from "./span.ts";
import type { Recording } from "./traces.ts";
import { showSpan } from "./detail.ts";

/** The numbers of `SpanKind` and of the status codes. */
const KINDS = { server: 2, client: 3, producer: 4, consumer: 5 } as const;
const UNSET = 0;
const ERROR = 2;

/**
 * Writes spans as JSON of OTLP. Identifiers are hexadecimal, times are texts, and enumerations are numbers, as its rules for JSON say.
 *
 * @param application The name of the application.
 * @returns An `ExportTraceServiceRequest`.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function toOtlp(recordings: readonly Recording[], application: string, hider: Hider) {
  const byFunction = Map.groupBy(
    recordings,
    ({ span: { type, attributes } }) =>
      type === "request" ? "" : String(attributes["faas.name"] ?? ""),
  );
  return {
    resourceSpans: [...byFunction].map(([name, own]) => ({
      resource: {
        attributes: attributesOf({
          "service.namespace": application,
          "service.name": name === "" ? application : name,
        }),
      },
      scopeSpans: [{
        scope: { name: "@mate/cli" },
        spans: own.map((recording) => spanOf(recording, showSpan(recording, hider), hider)),
      }],
    })),
  };
}

function spanOf({ lines }: Recording, span: Span, hider: Hider) {
  const { id, traceId, parent, links, kind, name, start, end, status, error, attributes } = span;
  return {
    traceId,
    spanId: id,
    ...parent && { parentSpanId: parent },
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(end ?? start),
    attributes: attributesOf(attributes),
    links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
    events: [
      ...lines.map(({ time, text }) => ({
        timeUnixNano: nanoseconds(time),
        name: "log",
        attributes: attributesOf({ "log.record.original": hider.text(text) }),
      })),
      ...error && status === "failed"
        ? [{
          timeUnixNano: nanoseconds(end ?? start),
          name: "exception",
          attributes: attributesOf({
            "exception.type": error.type,
            "exception.message": error.message,
            ...error.stack && { "exception.stacktrace": error.stack.join("\n") },
          }),
        }]
        : [],
    ],
    status: status === "failed" ? { code: ERROR, message: error?.message } : { code: UNSET },
  };
}

/** Writes milliseconds as nanoseconds. A number of JavaScript has too few digits for them. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1e6)));
}

function attributesOf(attributes: Attributes | Readonly<Record<string, string>>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: unknown): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOf) } };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { stringValue: String(value) };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
