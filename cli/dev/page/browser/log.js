// The log of the application.
import { byId, make } from "./make.js";
import { makeText, parseRecord, toneOf } from "./records.js";
import { showClock } from "./units.js";

/** The largest number of records on the page. */
const MOST = 1_000;

/** Shows the records, of which each with a request id leads to its trace. */
export function createLog(spans, open) {
  const records = byId("log-records");
  const filter = byId("log-filter");
  const view = byId("log-view");
  const isHidden = (name) => filter.value !== "*" && filter.value !== name;
  let last = 0;
  filter.onchange = () => {
    for (const item of records.children) item.hidden = isHidden(item.dataset.function);
  };
  byId("log-clear").onclick = () => {
    records.replaceChildren();
    byId("log-empty").hidden = false;
  };
  function openTrace(requestId) {
    const span = spans.findRequest(requestId);
    if (span) return open(span.traceId, span.id);
    byId("log-state").textContent = "Its trace is gone";
  }
  return {
    /** Adds a record. */
    add({ lastEventId, data }) {
      const number = Number(lastEventId);
      if (number <= last && number > 1) return; // The page has shown this record already.
      last = number;
      const { time, functionName, text, requestId } = JSON.parse(data);
      const { level, message } = parseRecord(text);
      const name = requestId === undefined
        ? make("span", { class: functionName ? "name" : "platform" }, functionName || "platform")
        : make("button", {
          type: "button",
          class: "name link",
          title: `The trace of the request ${requestId}`,
          onclick: () => openTrace(requestId),
        }, functionName);
      const item = make(
        "li",
        { class: toneOf(level), "data-function": functionName },
        make("time", {}, showClock(time)),
        name,
        makeText(`${level} ${message}`.trim(), text),
      );
      item.hidden = isHidden(functionName);
      records.append(item);
      while (records.childElementCount > MOST) records.firstElementChild.remove();
      byId("log-empty").hidden = true;
      if (byId("log-follow").checked) view.scrollTop = view.scrollHeight;
      return requestId;
    },
    /** Scrolls to the newest record. */
    show() {
      if (byId("log-follow").checked) view.scrollTop = view.scrollHeight;
    },
  };
}
