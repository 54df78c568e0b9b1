// The tree of a trace, with its waterfall.
import { badgeOf, factsOf, nameOf, phasesOf } from "./describe.js";
import { make } from "./make.js";
import { Rows } from "./rows.js";
import { labelsOf, makeTimeline } from "./timeline.js";
import { showDuration } from "./units.js";

const narrow = matchMedia("(max-width: 40rem)");

/** Returns the failure to look at first: the last one without a failure below it. */
export function failureOf(rows) {
  return rows.findLast(({ span, depth }, index) => {
    if (span.status !== "failed") return false;
    const end = rows.findIndex((other, at) => at > index && other.depth <= depth);
    return !rows.slice(index + 1, end < 0 ? undefined : end)
      .some((below) => below.span.status === "failed");
  })?.key;
}

/** Shows the tree of one trace at a time. */
export class TraceTree {
  #rows = [];
  #items = new Map();
  #selected;
  #line;
  #now = 0;

  /**
   * @param place The element with the axis (`.axis`) and the tree (`[role=tree]`).
   * @param select Learns which span the user has selected.
   */
  constructor(spans, place, select) {
    this.spans = spans;
    this.axis = place.querySelector(".axis");
    this.view = place.querySelector("[role=tree]");
    this.list = new Rows(this.view, {
      fill: (row, item) => this.#fill(row, item),
      height: () => narrow.matches ? 48 : 28,
      select: (id, isDone) => {
        this.#selected = id;
        select(id, isDone);
      },
    });
    const redraw = () => {
      this.list.redraw();
      this.list.set(this.#rows, this.#selected);
      this.list.show(this.#selected);
      this.#drawAxis();
    };
    narrow.addEventListener("change", redraw);
    new ResizeObserver(() => this.#drawAxis()).observe(this.view);
  }

  /** Shows a trace. Returns its rows. */
  show(traceId, selected) {
    this.#now = performance.timeOrigin + performance.now();
    const rows = this.spans.treeOf(traceId);
    const line = rows.length > 0
      ? makeTimeline(rows.map(({ span }) => span), this.#now)
      : undefined;
    const isSameLine = JSON.stringify(line) === JSON.stringify(this.#line);
    this.#line = line;
    // A row stays as it is while its span, its place and the scale do.
    const items = new Map();
    this.#rows = rows.map((row) => {
      const old = this.#items.get(row.key);
      const isSame = isSameLine && old?.span === row.span && old.depth === row.depth &&
        old.size === row.size && old.position === row.position && row.span.end !== undefined;
      const item = isSame ? old : row;
      items.set(row.key, item);
      return item;
    });
    this.#items = items;
    const isNew = selected !== this.#selected;
    this.#selected = selected;
    this.list.set(this.#rows, selected);
    if (isNew && selected !== undefined) this.list.show(selected);
    this.#drawAxis();
    return this.#rows;
  }

  #drawAxis() {
    const width = this.axis.clientWidth;
    if (this.#line === undefined || width === 0) return this.axis.replaceChildren();
    const labels = labelsOf(this.#line, width, showDuration).map(({ from, text, isCut }) => {
      const label = make("span", { class: isCut ? "cut" : "" }, text);
      label.style.left = `${100 * from}%`;
      return label;
    });
    this.axis.replaceChildren(...labels);
  }

  #fill(row, { span, depth, isLinked }) {
    const [badge, colour] = badgeOf(span);
    const [name, more] = nameOf(span, depth === 0);
    const tone = span.status === "failed" ? "bad" : span.status === "refused" ? "warn" : "";
    const facts = factsOf(span, isLinked)
      .map(([text, factTone]) => make("span", { class: `fact ${factTone}` }, text));
    const label = make(
      "span",
      { class: "label" },
      isLinked && make("span", { class: "muted", title: "It stands below this by a link" }, "↪ "),
      make("span", { class: `badge ${colour}` }, badge),
      make("b", { class: tone }, name),
      more && make("span", { class: "what" }, more),
      facts,
    );
    label.style.paddingLeft = `${Math.min(depth, 12) * 0.9 + 0.6}rem`;
    row.append(label, this.#bar(span, tone));
  }

  #bar(span, tone) {
    const { place, cuts } = this.#line;
    const { start, end = this.#now } = span;
    const bar = make("span", { class: "bar" });
    const put = (className, from, to) => {
      const part = make("span", { class: className });
      part.style.left = `${100 * from}%`;
      part.style.width = `${100 * (to - from)}%`;
      bar.append(part);
    };
    for (const { from, to, pause } of cuts) {
      put("pause", from, to);
      bar.lastChild.title = `${showDuration(pause)} later`;
    }
    for (const [phase, from, to] of phasesOf(span, this.#now)) {
      put(
        `${phase} ${tone || (span.type === "call" ? "call" : span.type)}`,
        place(from),
        place(to),
      );
    }
    const phases = phasesOf(span, this.#now)
      .map(([phase, from, to]) => `${phase} ${showDuration(to - from)}`);
    bar.title = phases.join(", ");
    const time = make("span", { class: "time" }, showDuration(end - start));
    time.style.left = `calc(${100 * place(end)}% + 0.3rem)`;
    bar.append(time);
    return bar;
  }
}
