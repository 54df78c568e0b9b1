// The list of traces, with its filters.
import { badgeOf, nameOf } from "./describe.js";
import { byId, make } from "./make.js";
import { Rows } from "./rows.js";
import { showClock, showCount, showDuration } from "./units.js";

/** The duration from which a trace counts as slow, in milliseconds. */
const SLOW = 1_000;

const KINDS = {
  all: () => true,
  failed: ({ failures }) => failures > 0,
  slow: ({ start, end }) => end - start >= SLOW,
  cold: ({ isCold }) => isCold,
};

/**
 * Shows the traces.
 *
 * @param open Opens a trace. The second parameter tells whether the user goes on there.
 */
export function createTraceList(spans, open) {
  const [text, kind] = [byId("filter-text"), byId("filter-kind")];
  const rows = new Rows(byId("trace-list"), {
    fill: fillRow,
    height: () => 54,
    select: (traceId, isDone) => open(traceId, isDone),
  });
  let selected;

  function draw() {
    const all = spans.list();
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isKind = KINDS[kind.value];
    const shown = words.length === 0 && kind.value === "all"
      ? all
      : all.filter((trace) => isKind(trace) && words.every((word) => trace.text.includes(word)));
    rows.set(shown, selected);
    byId("trace-count").textContent = shown.length === all.length
      ? showCount(all.length, "trace")
      : `${shown.length} of ${showCount(all.length, "trace")}`;
    const empty = byId("trace-empty");
    empty.hidden = shown.length > 0;
    empty.textContent = all.length > 0
      ? "No trace fits the filter."
      : "Nothing yet. Send a request or use “Try it”, and its trace appears here.";
    byId("trace-list").hidden = shown.length === 0;
  }

  spans.follow(draw);
  text.addEventListener("input", draw);
  kind.addEventListener("change", draw);
  byId("traces-delete").addEventListener("click", async () => {
    await fetch("traces", { method: "DELETE" });
    byId("filter-text").focus();
  });
  return {
    draw,
    /** Marks the open trace. */
    select(traceId) {
      selected = traceId;
      draw();
      if (traceId !== undefined) rows.show(traceId);
    },
    /** Shows the traces with a word. */
    filter(word) {
      text.value = word;
      kind.value = "all";
      draw();
    },
  };
}

function fillRow(row, trace) {
  const { root, start, end, functions, failures, isRunning } = trace;
  const [badge, colour] = badgeOf(root);
  const [name, more] = nameOf(root, true);
  const status = root.attributes["http.response.status_code"];
  const isRequest = root.type === "request";
  row.classList.toggle("is-failed", failures > 0);
  const path = functions.filter((one) => one !== name).join(" → ");
  row.append(
    make(
      "span",
      { class: "line" },
      make("span", { class: `badge ${colour}` }, badge),
      make("span", { class: "what" }, name, more && make("span", { class: "muted" }, ` ${more}`)),
      make("span", { class: "number" }, isRunning ? "running" : showDuration(end - start)),
    ),
    make(
      "span",
      { class: "line muted" },
      make("span", { class: "number" }, showClock(start)),
      make("span", { class: "what small" }, path),
      isRequest && status !== undefined &&
        make("span", { class: status >= 500 ? "bad" : status >= 400 ? "warn" : "" }, status),
      failures > 0 && make("span", { class: "bad" }, `${failures} failed`),
    ),
  );
}
