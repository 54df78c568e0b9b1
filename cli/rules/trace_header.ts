import { randomBytes } from "node:crypto";
import { createTraceId } from "./arn.ts";

/**
 * Reads a trace header such as `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1`. Parts of another form
 * are ignored, because a client can send any.
 *
 * @returns The trace identifier of OpenTelemetry, which is the digits of `Root`, and the span that is the parent.
 * @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
export function readTraceHeader(
  header: string | undefined,
): { readonly traceId?: string | undefined; readonly parent?: string | undefined } {
  const [, time, rest] = /(?:^|;) *Root=1-([\da-f]{8})-([\da-f]{24})(?=;|$)/i.exec(header ?? "") ??
    [];
  const [, parent] = /(?:^|;) *Parent=([\da-f]{16})(?=;|$)/i.exec(header ?? "") ?? [];
  if (time === undefined) return {};
  return { traceId: `${time}${rest}`.toLowerCase(), parent: parent?.toLowerCase() };
}

/** Returns a trace header as it is if it has a root; otherwise with that of a new trace. */
export function withRoot(header = "", time?: Date): string {
  if (readTraceHeader(header).traceId !== undefined) return header;
  const others = header.split(";").filter((part) =>
    part !== "" && !/^ *(Root|Parent)=/i.test(part)
  );
  return [createTraceId(time), ...others].join(";");
}

/** Makes a trace header of a trace identifier. */
export function rootOf(traceId: string): string {
  return `Root=1-${traceId.slice(0, 8)}-${traceId.slice(8)}`;
}

/** Puts a span into a trace header as the parent. */
export function withParent(header: string, spanId: string): string {
  const others = header.split(";").map((part) => part.trim())
    .filter((part) => part !== "" && !/^(Parent|Sampled)=/i.test(part));
  const root = others.findIndex((part) => /^Root=/i.test(part));
  return others.toSpliced(root + 1, 0, `Parent=${spanId}`, "Sampled=0").join(";");
}

/** Returns a trace header without the counts of a chain, for a service that does not stop loops. */
export function withoutLineage(header: string): string {
  return header.split(";").filter((part) => !/^ *Lineage=/i.test(part)).join(";");
}

/** Makes the identifier of a span. */
export function createSpanId(): string {
  return randomBytes(8).toString("hex");
}

/** The field in which the platform keeps the trace header of a client, after it has put the span of the call into the header. */
const SENT = "x-mate-sent-trace-id";

/** Replaces the trace header of a request. */
export function replaceTraceHeader(headers: Headers, header: string): void {
  headers.set(SENT, headers.get("x-amzn-trace-id") ?? "");
  headers.set("x-amzn-trace-id", header);
}

/** Returns the trace header as the client has sent it. */
export function sentTraceHeader(headers: Headers): string | undefined {
  return (headers.get(SENT) ?? headers.get("x-amzn-trace-id")) || undefined;
}
