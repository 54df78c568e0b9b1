// @ts-check
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** How many records the page keeps. */
const KEPT = 1_000;

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);
const view = byId("log-view");
const records = byId("log-records");
const filter = byId("log-filter");
const follow = byId("log-follow");
const state = byId("log-state");

let last = 0;
const source = new EventSource("/log");
source.onopen = () => void (state.textContent = "Live");
source.onerror = () => void (state.textContent = "Waiting for the platform…");
source.onmessage = (/** @type {MessageEvent<string>} */ { lastEventId, data }) => {
  const number = Number(lastEventId);
  if (number <= last && number > 1) return; // seen before the connection was lost
  last = number;
  records.append(createRecord(JSON.parse(data)));
  while (records.childElementCount > KEPT) records.firstElementChild.remove();
  byId("log-empty").hidden = true;
  if (follow.checked) view.scrollTop = view.scrollHeight;
};

/** @param {{ time: string, functionName: string, text: string }} record */
function createRecord({ time, functionName, text }) {
  const item = document.createElement("li");
  item.dataset.function = functionName;
  item.hidden = filter.value !== "*" && filter.value !== functionName;
  const { level, message, requestId } = parse(text);
  if (["ERROR", "CRITICAL", "FATAL"].includes(level)) item.className = "error";
  if (level === "WARN") item.className = "warn";

  const clock = document.createElement("time");
  clock.dateTime = time;
  clock.textContent = new Date(time).toLocaleTimeString("en-GB");
  const name = document.createElement("span");
  name.textContent = functionName || "platform";
  name.className = functionName ? `hue-${hueOf(functionName)}` : "platform";
  if (requestId) name.title = `Request ${requestId}`;
  item.append(clock, name, createText(`${level} ${message}`.trim(), text));
  return item;
}

/**
 * What a record says beside its time, which has a column of its own.
 *
 * @param {string} text
 */
function parse(text) {
  const [all, requestId = "", level = ""] = /^\d{4}-\S+Z\t([^\t]*)\t([A-Z]+)\t/.exec(text) ?? [];
  if (all !== undefined) return { requestId, level, message: text.slice(all.length) };
  try {
    const record = JSON.parse(text);
    if (typeof record.level === "string" && typeof record.message === "string") {
      return {
        requestId: String(record.requestId ?? ""),
        level: record.level,
        message: record.message,
      };
    }
  } catch {
    // not a record in JSON: shown as it is
  }
  return {
    requestId: "",
    level: /^ERROR\b/.exec(text)?.[0] ?? "",
    message: text.replace(/^ERROR /, ""),
  };
}

/**
 * The text of a record; a long one is shown in whole when asked for.
 *
 * @param {string} brief
 * @param {string} record
 */
function createText(brief, record) {
  const text = brief.replaceAll("\r", "\n");
  const lines = text.split("\n");
  const isLong = lines.length > 4 || text.length > 300;
  const span = document.createElement("span");
  span.className = "text";
  span.textContent = isLong ? record.replaceAll("\r", "\n") : text;
  if (!isLong) return span;
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const first = /** @type {string} */ (lines[0]);
  summary.className = "text";
  summary.textContent = first.length > 160 ? `${first.slice(0, 160)}…` : first;
  details.append(summary, span);
  return details;
}

/** @param {string} name */
function hueOf(name) {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.charCodeAt(0)) % 6_007;
  return sum % 6;
}

filter.onchange = () => {
  for (const item of records.children) {
    item.hidden = filter.value !== "*" && filter.value !== item.dataset.function;
  }
};
byId("log-clear").onclick = () => {
  records.replaceChildren();
  byId("log-empty").hidden = false;
};
