// The spans that the platform has sent, and the traces that they form.

/** The most spans that are kept. The oldest trace goes first, as on the platform. */
const MOST = 10_000;

/** The tokens by which a click on the map filters. */
export function tokensOf({ type, attributes }) {
  const { "mate.trigger.type": trigger, "mate.trigger.name": name = "" } = attributes;
  const { "mate.resource.type": kind, "mate.resource.name": resource = "" } = attributes;
  if (type === "request") {
    return attributes["mate.gateway"] === "url" ? [`url:${attributes["faas.name"]}`] : ["gateway:"];
  }
  if (type === "call") return kind ? [`${kind}:${resource.replace(/[/ ].*/s, "")}`] : [];
  const source = ["bucket", "topic", "queue", "table"].includes(trigger)
    ? [`${trigger}:${name.replace(/\/.*/s, "")}`]
    : trigger === "schedule"
    ? [`schedule:${attributes["faas.name"]}`]
    : [];
  return [`function:${attributes["faas.name"]}`, ...source];
}

/** The spans by trace. Views follow the changes, which come together once for each frame of the screen. */
export class Spans {
  #spans = new Map();
  #traces = new Map();
  #children = new Map();
  /** The spans that have a link to a span. */
  #linked = new Map();
  /** The traces to which the links of a trace lead. */
  #causes = new Map();
  #summaries = new Map();
  #changed = new Set();
  #order;
  #followers = new Set();
  #isPlanned = false;

  constructor(plan) {
    this.plan = plan;
  }

  /** Calls a function with the identifiers of the traces that have changed. */
  follow(follower) {
    this.#followers.add(follower);
  }

  find(id) {
    return this.#spans.get(id);
  }

  all() {
    return this.#spans.values();
  }

  /** Finds the last attempt with a request identifier. */
  findRequest(requestId) {
    return [...this.all()].findLast(({ attributes }) =>
      attributes["faas.invocation_id"] === requestId
    );
  }

  clear() {
    for (
      const map of [
        this.#spans,
        this.#traces,
        this.#children,
        this.#linked,
        this.#causes,
        this.#summaries,
      ]
    ) map.clear();
    this.#order = undefined;
    this.#announce();
  }

  /** Takes a span that is new or has changed. */
  put(span) {
    const isNew = !this.#spans.has(span.id);
    this.#spans.set(span.id, span);
    if (isNew) {
      add(this.#traces, span.traceId, span.id);
      if (span.parent) add(this.#children, span.parent, span.id);
      for (const { spanId, traceId } of span.links) {
        add(this.#linked, spanId, span.id);
        add(this.#causes, span.traceId, traceId);
      }
      while (this.#spans.size > MOST) this.#forget(this.#traces.keys().next().value);
    }
    this.#touch(span.traceId);
    this.#announce();
  }

  /** Lists the spans of a trace in the order of the tree, with those that a link puts below a span. */
  treeOf(traceId) {
    const rows = [];
    const seen = new Set();
    const visit = (span, depth, isLinked, position, size) => {
      if (seen.has(span.id)) return;
      seen.add(span.id);
      rows.push({ key: span.id, span, depth, isLinked, position, size });
      const below = [
        ...this.#sorted(this.#children.get(span.id)).map((one) => [one, false]),
        ...this.#sorted(this.#linked.get(span.id)).map((one) => [one, true]),
      ];
      below.forEach(([one, linked], index) =>
        visit(one, depth + 1, linked, index + 1, below.length)
      );
    };
    const roots = this.#sorted(this.#traces.get(traceId))
      .filter(({ parent = "" }) => !this.#spans.has(parent));
    roots.forEach((span, index) => visit(span, 0, false, index + 1, roots.length));
    return rows;
  }

  /**
   * Lists the traces, the newest first. A trace whose spans all stand below links in other traces is left out.
   *
   * @returns {readonly { traceId: string, failures: number, functions: string[], text: string }[]}
   */
  list() {
    for (const traceId of this.#changed) {
      if (this.#traces.has(traceId)) this.#summaries.set(traceId, this.#summarize(traceId));
    }
    if (this.#changed.size > 0) this.#order = undefined;
    this.#changed.clear();
    this.#order ??= [...this.#summaries.values()].filter(({ isBelow }) => !isBelow)
      .sort((a, b) => b.start - a.start);
    return this.#order;
  }

  #sorted(ids = []) {
    return Array.from(ids, (id) => this.#spans.get(id)).filter(Boolean)
      .sort((a, b) => a.start - b.start);
  }

  /** Notes that a trace has changed, and so all traces that contain it by a link. */
  #touch(traceId, seen = new Set()) {
    if (seen.has(traceId)) return;
    seen.add(traceId);
    this.#changed.add(traceId);
    for (const cause of this.#causes.get(traceId) ?? []) this.#touch(cause, seen);
  }

  #forget(traceId) {
    for (const id of this.#traces.get(traceId)) {
      const { parent, links } = this.#spans.get(id);
      this.#spans.delete(id);
      if (parent) take(this.#children, parent, id);
      for (const { spanId } of links) take(this.#linked, spanId, id);
      // What stood below a link is a trace of its own now.
      for (const other of this.#linked.get(id) ?? []) {
        const span = this.#spans.get(other);
        if (span) this.#changed.add(span.traceId);
      }
    }
    for (const map of [this.#traces, this.#causes, this.#summaries]) map.delete(traceId);
    this.#changed.add(traceId);
  }

  #announce() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.plan(() => {
      this.#isPlanned = false;
      const changed = new Set(this.#changed);
      for (const follower of this.#followers) follower(changed);
    });
  }

  #summarize(traceId) {
    const rows = this.treeOf(traceId);
    const spans = rows.map(({ span }) => span);
    const [root] = spans;
    const invocations = spans.filter(({ type }) => type === "invocation");
    const roots = rows.filter(({ depth }) => depth === 0);
    const isBelow = roots.every(({ span }) =>
      span.links.some(({ spanId, traceId: other }) => other !== traceId && this.#spans.has(spanId))
    );
    const texts = spans.flatMap((span) => [
      span.name,
      span.error?.type,
      span.error?.message,
      span.attributes["faas.invocation_id"],
      span.attributes["mate.trigger.name"],
      span.attributes["http.response.status_code"],
      ...tokensOf(span),
    ]);
    return {
      key: traceId,
      traceId,
      root,
      isBelow,
      start: root.start,
      end: Math.max(...spans.map(({ end = 0 }) => end)),
      isRunning: spans.some(({ status }) => status === "running"),
      functions: [...new Set(invocations.map(({ name }) => name))],
      failures: spans.filter(({ status }) => status === "failed").length,
      isCold: spans.some(({ attributes }) => attributes["faas.coldstart"]),
      text: texts.join("\n").toLowerCase(),
    };
  }
}

function add(map, key, id) {
  const set = map.get(key) ?? new Set();
  map.set(key, set.add(id));
}

function take(map, key, id) {
  const set = map.get(key);
  set?.delete(id);
  if (set?.size === 0) map.delete(key);
}
