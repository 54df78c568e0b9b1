// Records of the log.
import { make } from "./make.js";
import { makeStack } from "./problem.js";

/** Reads the level, the message and the request id of a record. The time has its own column. */
export function parseRecord(text) {
  const [all, requestId = "", level = ""] = /^\d{4}-\S+Z\t([^\t]*)\t([A-Z]+)\t/.exec(text) ?? [];
  if (all !== undefined) return { requestId, level, message: text.slice(all.length) };
  try {
    const record = JSON.parse(text);
    if (typeof record.level === "string" && typeof record.message === "string") return record;
  } catch {
    // The record is not JSON.
  }
  return { level: /^ERROR\b/.exec(text)?.[0] ?? "", message: text.replace(/^ERROR /, "") };
}

/** The class of a record, by its level. */
export function toneOf(level) {
  return ["ERROR", "CRITICAL", "FATAL"].includes(level) ? "error" : level === "WARN" ? "warn" : "";
}

/** Makes an element with the text of a record. A long text is folded. */
export function makeText(brief, record) {
  const lines = brief.split("\r");
  if (lines.length <= 4 && brief.length <= 300) {
    return make("span", { class: "text" }, lines.join("\n"));
  }
  const first = lines[0].length > 160 ? `${lines[0].slice(0, 160)}…` : lines[0];
  return make(
    "details",
    {},
    make("summary", { class: "text" }, first),
    make("span", { class: "text" }, record.replaceAll("\r", "\n")),
  );
}

/** Makes an element with the text of a record and its stack, of which only the lines of the author are shown. */
export function makeWithStack(text) {
  const lines = text.split(/\r\n?|\n/);
  const isFrame = (line) => /^\s+at /.test(line);
  const frames = lines.filter(isFrame).map((line) => line.trim());
  const others = lines.filter((line) => !isFrame(line)).join("\n");
  return make("span", { class: "text" }, others, frames.length > 0 && makeStack(frames));
}
