// The script of the start page. It runs in the browser.
import { Data } from "./data.js";
import { Detail } from "./detail.js";
import { followForms } from "./forms.js";
import { createLog } from "./log.js";
import { byId } from "./make.js";
import { createMap } from "./map.js";
import { Spans } from "./spans.js";
import { createTraceList } from "./trace_list.js";
import { failureOf, TraceTree } from "./trace_tree.js";

const TABS = ["traces", "try", "data", "log"];

const spans = new Spans((draw) => {
  // A page in the background gets no frames.
  if (document.hidden) setTimeout(draw, 200);
  else requestAnimationFrame(draw);
});

/** The time between two pictures of a trace that runs, in milliseconds. */
const PERIOD = 500;

/** The open trace, and the span that the user has chosen in it. */
let opened, chosen;

const go = (...parts) => location.hash = parts.join("/");
const list = createTraceList(spans, (traceId, isDone) => {
  go("traces", traceId);
  if (isDone) requestAnimationFrame(() => byId("trace-tree").focus());
});
const detail = new Detail(byId("detail"), (traceId) => go("traces", traceId));
const tree = new TraceTree(spans, byId("trace"), (spanId) => {
  chosen = spanId;
  history.replaceState(null, "", `#traces/${opened}/${spanId}`);
  drawTrace();
});
const map = createMap(spans);
const log = createLog(spans, (traceId, spanId) => go("traces", traceId, spanId));
const data = new Data();

function drawTrace() {
  byId("map").hidden = opened !== undefined;
  byId("trace").hidden = opened === undefined;
  byId("traces").classList.toggle("has-trace", opened !== undefined);
  if (opened === undefined) return map.count();
  const rows = spans.treeOf(opened);
  const selected = rows.some(({ key }) => key === chosen)
    ? chosen
    : failureOf(rows) ?? rows[0]?.key;
  tree.show(opened, selected);
  byId("trace-gone").hidden = rows.length > 0;
  detail.show(spans.find(selected));
}

/** The newest trace of the function beside its forms: the one that a form has begun, else the newest with the function. */
let tried, begun;
const triedTree = new TraceTree(spans, byId("tried"), (spanId, isDone) => {
  if (isDone) go("traces", tried, spanId);
});

function drawTried() {
  const name = document.querySelector("[data-function-panel]:not([hidden])")?.dataset.functionPanel;
  const traces = spans.list();
  tried = traces.find(({ traceId }) => traceId === begun)?.traceId ??
    traces.find(({ functions }) => functions.includes(name))?.traceId;
  byId("tried-none").hidden = tried !== undefined;
  byId("tried-trace").hidden = tried === undefined;
  if (tried === undefined) return;
  byId("tried-link").href = `#traces/${tried}`;
  triedTree.show(tried, failureOf(spans.treeOf(tried)));
}

function openFunction(name) {
  const panels = [...document.querySelectorAll("[data-function-panel]")];
  const panel = panels.find(({ dataset }) => dataset.functionPanel === name) ?? panels[0];
  for (const one of panels) one.hidden = one !== panel;
  for (const link of document.querySelectorAll("#functions a")) {
    if (link.hash === `#try/${panel?.dataset.functionPanel}`) {
      link.setAttribute("aria-current", "true");
    } else link.removeAttribute("aria-current");
  }
  begun = undefined;
  drawTried();
}

/** Shows what the address says: `#traces/TRACE/SPAN`, `#traces/of/WORD`, `#try/FUNCTION`, `#data/KIND/NAME` or `#log`. */
function show() {
  const [name, ...parts] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const tab = TABS.includes(name) ? name : "traces";
  for (const one of TABS) {
    byId(one).hidden = one !== tab;
    const link = byId(`tab-${one}`);
    if (one === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  data.close();
  if (tab === "traces") {
    const isFilter = parts[0] === "of";
    if (isFilter) list.filter(parts.slice(1).join("/"));
    const [traceId, spanId] = isFilter ? [] : parts;
    opened = traceId || undefined;
    chosen = spanId || undefined;
    list.select(opened);
    drawTrace();
  }
  if (tab === "try") openFunction(parts[0]);
  if (tab === "data") data.open(parts.join("/"));
  if (tab === "log") log.show();
}

spans.follow((changed) => {
  if (!byId("try").hidden) drawTried();
  if (byId("traces").hidden || opened === undefined) return;
  const isTouched = changed.has(opened) || byId("trace-gone").hidden !== true;
  if (isTouched || changed.size === 0) drawTrace();
});

setInterval(() => {
  if (byId("traces").hidden || opened === undefined || document.hidden) return;
  if (spans.treeOf(opened).some(({ span }) => span.status === "running")) drawTrace();
}, PERIOD);

followForms((traceId, form) => {
  if (form.closest("#data")) void data.refresh();
  begun = traceId;
  drawTried();
});

byId("trace-tree").addEventListener("keydown", ({ key }) => {
  if (key === "Escape") {
    go("traces");
    byId("trace-list").focus();
  }
});
addEventListener("hashchange", show);

const state = byId("state");
const source = new EventSource("log");
source.onopen = () => state.textContent = "Live";
source.onerror = () => state.textContent = "Waiting for the platform…";
source.onmessage = (event) => {
  const requestId = log.add(event);
  if (requestId !== undefined && requestId === detail.requestId) detail.readSoon();
};
source.addEventListener("span", ({ data }) => spans.put(JSON.parse(data)));
source.addEventListener("clear", () => spans.clear());
show();
