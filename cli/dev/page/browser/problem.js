// Why a span failed: the error with the lines of the author first, and the rights that are missing.
import { make, makeCopy, makePre } from "./make.js";

/** Tells whether a frame is in the author's own code: in a file of the application's folder. */
function isOwn(frame) {
  const [, place = frame] = /\(([^()]*)\)$/.exec(frame) ?? [];
  return /:\d+:\d+$/.test(place) &&
    !/^(\w+:|\/)|\.\.\/|node_modules|<anonymous>/.test(place.replace(/^(async )?at /, ""));
}

/** The frames that are shown if none is the author's. */
const FEW = 3;

/** Splits frames: those of the author, else the innermost ones, and the others. */
export function splitStack(frames) {
  const own = frames.filter(isOwn);
  return own.length === 0
    ? [frames.slice(0, FEW), frames.slice(FEW)]
    : [own, frames.filter((frame) => !isOwn(frame))];
}

/** Makes a stack, of which the frames outside of the author's code are folded. */
export function makeStack(frames) {
  const [own, others] = splitStack(frames);
  const list = (some) => make("span", { class: "frames" }, some.join("\n"));
  return [
    list(own),
    others.length > 0 && make(
      "details",
      {},
      make(
        "summary",
        {},
        others.length === 1
          ? "1 line of libraries and the runtime"
          : `${others.length} lines of libraries and the runtime`,
      ),
      list(others),
    ),
  ];
}

/** Tells an error in one line. */
export function titleOf({ type, message }) {
  if (/^\d+$/.test(type)) return `${type} ${message}`;
  if (type === "batchItemFailures") return `${message}. The log says why.`;
  return message ? `${type}: ${message}` : type;
}

/** Makes the section with the error. */
export function makeProblem({ status, error }) {
  if (error === undefined) return [];
  const { stack = [] } = error;
  return [
    make("h3", {}, status === "failed" ? "Error" : "Refused"),
    make(
      "div",
      { class: `problem ${status === "failed" ? "bad" : "warn"}` },
      make("strong", {}, titleOf(error)),
      stack.length > 0 && makeStack(stack),
    ),
  ];
}

/** What "uses" calls an access, by the kind of the resource and the action. */
const USES = {
  bucket: (action) => /^s3:(Get|List)/.test(action) ? "read" : "write",
  queue: (action) => /^sqs:SendMessage/.test(action) ? "send" : undefined,
  table: (action) => /:(Get|BatchGet|Query|Scan|Describe)/.test(action) ? "read" : "write",
  topic: (action) => action === "sns:Publish" ? "publish" : undefined,
};

/** Returns what the manifest needs so that a call is allowed. */
export function rightsFor({ attributes }) {
  const { "mate.denied": action, "mate.resource.type": kind, "mate.resource.name": name = "" } =
    attributes;
  const access = USES[kind]?.(action);
  if (access === undefined) {
    const statement = { Effect: "Allow", Action: action, Resource: "*" };
    return `"statements": [${JSON.stringify(statement)}]`;
  }
  const uses = { [`${kind}s`]: { [name.replace(/[/ ].*/s, "")]: access } };
  return `"uses": ${JSON.stringify(uses)}`;
}

/** Makes the section with the rights to add. */
export function makeRights(span) {
  const { "mate.denied": action, "faas.name": owner } = span.attributes;
  if (action === undefined) return [];
  const rights = rightsFor(span);
  const notes = [
    `The function ${owner} may not do ${action} here. Its entry in the manifest needs:`,
    /"(read|write)"/.test(rights) &&
    "If the entry has the other of “read” and “write” already, it becomes “read-write”.",
    rights.startsWith('"statements"') && "Name the resource in place of “*” if you can.",
  ].filter(Boolean);
  return [
    make("h3", {}, "Rights to add"),
    make("p", {}, notes[0]),
    makePre(rights, "Rights to add"),
    make("p", {}, makeCopy(rights, "Copy the rights"), " ", notes[1] ?? ""),
  ];
}
