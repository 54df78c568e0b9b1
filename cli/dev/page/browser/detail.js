// The detail of a span: why it failed, its log, its event and its result, and what can be done with it.
import { nameOf } from "./describe.js";
import { make, makeCopy, makePre } from "./make.js";
import { showPayload } from "./payload.js";
import { makeProblem, makeRights } from "./problem.js";
import { makeWithStack, parseRecord, toneOf } from "./records.js";
import { showClock, showDuration, showSize } from "./units.js";

/** How long the platform may need to get the last lines of the log, in milliseconds. */
const LATE = 400;

/** Shows the detail of one span at a time. */
export class Detail {
  #id;
  #shown = "";
  #timer;
  #span;

  /** @param open Opens a trace. */
  constructor(place, open) {
    this.place = place;
    this.open = open;
  }

  /** Shows a span, and reads it again if it has changed. */
  show(span) {
    if (span?.id !== this.#id) {
      this.#id = span?.id;
      this.#shown = "";
      this.#span = undefined;
      this.place.replaceChildren();
      this.place.scrollTop = 0;
    }
    if (span === undefined || span === this.#span) return;
    this.#span = span;
    void this.#read();
    this.readSoon();
  }

  /** Reads the span again after a while: lines of its log may have come. */
  readSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#read(), LATE);
  }

  get requestId() {
    return this.#span?.attributes["faas.invocation_id"];
  }

  async #read() {
    const id = this.#id;
    if (id === undefined) return;
    let text, ok;
    try {
      const response = await fetch(`spans/${id}`);
      [text, ok] = [await response.text(), response.ok];
    } catch {
      return; // The page says already that the platform does not answer.
    }
    if (id !== this.#id || text === this.#shown) return;
    this.#shown = text;
    const value = JSON.parse(text);
    const content = ok ? this.#make(value) : [make("p", { class: "bad" }, value.message)];
    const focused = this.place.contains(document.activeElement)
      ? document.activeElement.dataset.action
      : undefined;
    this.place.replaceChildren(...content.flat(Infinity).filter(Boolean));
    if (focused) this.place.querySelector(`[data-action="${focused}"]`)?.focus();
  }

  #make(span) {
    const { type, event, result } = span;
    const [name, more] = nameOf(span, true);
    const what = type === "request" ? ["Request", "Answer"] : ["Event", "Result"];
    return [
      make("h2", {}, name, more && make("span", { class: "muted" }, ` ${more}`)),
      this.#makeActions(span),
      makeFacts(span),
      makeProblem(span),
      makeRights(span),
      makeLog(span),
      make(
        "div",
        { class: "payloads" },
        [event, result].map((payload, index) =>
          payload !== undefined && payload.size > 0 && make(
            "div",
            {},
            make(
              "h3",
              {},
              what[index],
              make("span", { class: "muted" }, ` ${showSize(payload.size)}`),
            ),
            makePre(showPayload(payload), what[index]),
          )
        ),
      ),
    ];
  }

  #makeActions(span) {
    const { id, event, actions } = span;
    const output = make("div", { class: "outcome", role: "status" });
    const reasons = [];
    const button = (action, name, run) => {
      const may = actions[action];
      if (may === undefined) return false;
      const reason = `why-${action}`;
      if (may !== true) reasons.push(make("p", { id: reason, class: "muted" }, `${name}: ${may}`));
      return make("button", {
        type: "button",
        "data-action": action,
        "aria-disabled": may !== true && "true",
        "aria-describedby": may !== true && reason,
        onclick: () => may === true && this.#run(`spans/${id}/${action}`, output, run),
      }, name);
    };
    return make(
      "div",
      { class: "actions" },
      button("again", "Send again", (answer) => this.open(answer.traceId)),
      button("test", "Save as a test", (answer) => output.replaceChildren(...makeSaved(answer))),
      event && !event.isBase64 && makeCopy(event.text, "Copy the event", "Copy the event"),
      reasons,
      output,
    );
  }

  async #run(path, output, done) {
    output.replaceChildren("…");
    try {
      const response = await fetch(path, { method: "POST" });
      const answer = await response.json();
      output.replaceChildren();
      if (response.ok) done(answer);
      else output.replaceChildren(make("p", { class: "bad" }, answer.message));
    } catch (error) {
      output.replaceChildren(make("p", { class: "bad" }, `The platform does not answer: ${error}`));
    }
  }
}

function makeSaved({ files, command, notes }) {
  return [
    make("p", {}, "Saved: ", files.map((file) => [make("code", {}, file), " "])),
    make(
      "p",
      {},
      "Run it: ",
      make("code", {}, command),
      " ",
      makeCopy(command, "Copy the command"),
    ),
    ...notes.map((note) => make("p", {}, note)),
  ];
}

function makeFacts({ start, end, attributes, type, links }) {
  const time = (key) => attributes[key] === undefined ? undefined : showDuration(attributes[key]);
  const init = time("mate.init_duration");
  const facts = {
    Time: `${showClock(start)}${end === undefined ? "" : ` · ${showDuration(end - start)}`}`,
    Status: type === "invocation" ? undefined : attributes["http.response.status_code"],
    Waited: time("mate.queue_time"),
    Init: attributes["faas.coldstart"] === false ? "warm" : init && `${init} (cold)`,
    Ran: time("mate.duration"),
    Memory: attributes["mate.memory"] && showSize(attributes["mate.memory"]),
    Trigger: attributes["mate.trigger.type"] &&
      `${attributes["mate.trigger.type"]} ${attributes["mate.trigger.name"]}`.trim(),
    Attempt: attributes["mate.attempts"] > 1 &&
      `${attributes["mate.attempt"]} of ${attributes["mate.attempts"]}`,
    Records: attributes["messaging.batch.message_count"],
    Causes: links.length > 1 ? links.length : undefined,
    Function: type === "call" ? attributes["faas.name"] ?? "none: the developer calls" : undefined,
    "Request ID": attributes["faas.invocation_id"],
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== false);
  return make(
    "dl",
    { class: "span-facts" },
    known.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

function makeLog({ start, log }) {
  const said = log.filter(({ text }) => !/^(START|END|REPORT) RequestId: /.test(text));
  if (said.length === 0) return [];
  const lines = said.map(({ time, text }) => {
    const { level, message } = parseRecord(text);
    return make(
      "li",
      { class: toneOf(level) },
      make("span", { class: "number muted" }, showDuration(Math.max(0, time - start))),
      makeWithStack(`${level} ${message}`.trim()),
    );
  });
  return [
    make("h3", {}, "Log"),
    make("ol", { class: "lines", tabindex: 0, "aria-label": "Log of the span" }, lines),
  ];
}
