import type { Span } from "../dev/traces/span.ts";

/**
 * Draws spans as trees, one line for each span, the children below their cause. A span without a known cause begins a tree. What
 * is below a link begins with "linked".
 *
 * @param facts Adds facts to the line of a span.
 */
export function drawTrees(
  spans: readonly Span[],
  facts: (span: Span) => readonly unknown[] = () => [],
): string[] {
  const known = new Set(spans.map(({ id }) => id));
  const isRoot = ({ parent = "" }: Span) => !known.has(parent);
  const inOrder = [...spans].sort((a, b) => a.start - b.start);
  const draw = (span: Span, depth: number, isLinked = false): string[] => [
    "  ".repeat(depth) + (isLinked ? "linked " : "") + describe(span, facts(span)),
    ...inOrder.filter(({ parent }) => parent === span.id).flatMap((one) => draw(one, depth + 1)),
    ...inOrder.filter(({ links }) => links.some(({ spanId }) => spanId === span.id))
      .flatMap((one) => draw(one, depth + 1, true)),
  ];
  return inOrder.filter((span) => isRoot(span) && span.links.length === 0)
    .flatMap((span) => draw(span, 0));
}

function describe(
  { type, name, status, error, attributes }: Span,
  facts: readonly unknown[],
): string {
  const { "mate.attempt": attempt, "mate.attempts": last = 0 } = attributes;
  return [
    type,
    name,
    type === "request" && attributes["http.response.status_code"],
    type === "invocation" &&
    `(${attributes["mate.trigger.type"]} ${attributes["mate.trigger.name"]})`,
    last > 1 && `attempt ${attempt} of ${last}`,
    ...(["mate.retried", "mate.dead_letters", "mate.dropped"] as const)
      .map((key) => attributes[key] && `${key.slice(5)} ${attributes[key]}`),
    status !== "ok" && `${status}: ${error?.type}`,
    ...facts,
  ].filter(Boolean).join(" ");
}
