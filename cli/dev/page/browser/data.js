// What is in the buckets, the tables and the queues, and the dead letters.
import { objectUrl } from "./forms.js";
import { byId, make, makePre } from "./make.js";
import { showText } from "./payload.js";
import { titleOf } from "./problem.js";
import { showClock, showCount, showSize } from "./units.js";

/** The time between two looks at what is shown, in milliseconds. */
const PERIOD = 2_000;

/** What is listed of each kind: the name of the list in the answer, and how an entry is shown. */
const KINDS = {
  buckets: {
    list: ({ objects }) => objects,
    none: "No objects.",
    show({ key, size, modified }, name) {
      const href = objectUrl(name, key);
      return {
        name: key,
        parts: [
          make("a", { href }, key),
          make("span", { class: "muted number" }, `${showSize(size)} · ${showClock(modified)}`),
        ],
        remove: () => fetch(href, { method: "DELETE" }),
      };
    },
  },
  tables: {
    list: ({ items }) => items,
    none: "No items.",
    show: ({ key, text }, name) => ({
      name: text,
      parts: [make("code", { class: "item" }, text)],
      remove: () => fetch(`tables/${name}`, { method: "DELETE", body: JSON.stringify(key) }),
    }),
  },
  queues: {
    list: ({ messages }) => messages,
    none: "No message waits.",
    show: ({ id, ...message }, name) => ({
      name: id,
      parts: [makeMessage(message)],
      remove: () => fetch(`queues/${name}/${id}`, { method: "DELETE" }),
    }),
  },
};

function makeMessage({ body, attributes, group, sent, visible, receiveCount, traceId }, more) {
  const wait = more ? 0 : visible - Date.now();
  const facts = [
    `sent ${showClock(sent)}`,
    `received ${showCount(receiveCount, "time")}`,
    group && `group ${group}`,
    wait > 0 && `visible at ${showClock(visible)}`,
  ].filter(Boolean).join(" · ");
  return make(
    "div",
    { class: "message" },
    more ?? false,
    make(
      "p",
      { class: "muted small" },
      facts,
      traceId && !more ? [" · ", linkTo(traceId, "", "its trace")] : false,
    ),
    makePre(showText(body), "Body"),
    Object.keys(attributes).length > 0 &&
      makePre(JSON.stringify(attributes, null, 2), "Attributes"),
  );
}

const linkTo = (traceId, spanId, text) => make("a", { href: `#traces/${traceId}/${spanId}` }, text);

function makeDeadLetter({ id, of, reason, spanId, redrive, ...message }) {
  const from = of.type === "table"
    ? `table ${of.name}, for the function ${of.function}`
    : `queue ${of.name}`;
  const cause = reason ? titleOf(reason) : "The reason is not known any more";
  const why = redrive === true ? undefined : `why-redrive-${id}`;
  const post = () => redrive === true && fetch(`dead-letters/${id}/redrive`, { method: "POST" });
  return {
    name: `the dead letter ${id}`,
    parts: [makeMessage(message, [
      make("h3", {}, `From the ${from}`),
      make("p", { class: "bad" }, cause),
      message.traceId && make(
        "p",
        {},
        linkTo(message.traceId, spanId ?? "", spanId ? "Trace of the last attempt" : "Its trace"),
      ),
      why && make("p", { id: why, class: "muted" }, redrive),
    ])],
    buttons: [["Redrive", post, why]],
    remove: () => fetch(`dead-letters/${id}`, { method: "DELETE" }),
  };
}

/** Shows the data of the chosen place, and looks again while it is on the screen. */
export class Data {
  #place;
  #shown = "";
  #queries = new Map();

  constructor() {
    for (const form of document.querySelectorAll("form[data-query]")) {
      form.addEventListener("submit", () => this.#ask(form));
      form.addEventListener("reset", () => setTimeout(() => this.#ask(form)));
    }
    setInterval(() => document.hidden || this.refresh(), PERIOD);
  }

  /** Opens a place, such as `tables/orders`; the first one by default. */
  open(name) {
    const places = [...document.querySelectorAll("[data-place]")];
    const place = places.find(({ dataset }) => dataset.place === name) ?? places[0];
    for (const one of places) one.hidden = one !== place;
    for (const link of document.querySelectorAll("#data-places a")) {
      const isCurrent = link.hash === `#data/${place.dataset.place}`;
      if (isCurrent) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (place !== this.#place) this.#shown = "";
    this.#place = place;
    void this.refresh();
  }

  close() {
    this.#place = undefined;
  }

  #ask(form) {
    const given = [...new FormData(form)].filter(([, value]) => value !== "");
    this.#queries.set(form.dataset.query, new URLSearchParams(given));
    void this.refresh();
  }

  /** Reads the number of dead letters, and what is in the open place. What has not changed stays, so that it keeps the focus. */
  async refresh() {
    const place = this.#place;
    if (place === undefined) return;
    try {
      const dead = await (await fetch("dead-letters")).json();
      const count = dead.deadLetters.length;
      byId("dead-count").textContent = count > 0 ? ` (${count})` : "";
      const name = place.dataset.place;
      const [response, answer] = name === "dead-letters"
        ? [{ ok: true }, dead]
        : await this.#read(name);
      const text = JSON.stringify(answer);
      if (place !== this.#place || text === this.#shown) return;
      this.#shown = text;
      const list = place.querySelector(".entries");
      if (!response.ok) return list.replaceChildren(make("li", { class: "bad" }, answer.message));
      this.#draw(list, place, answer);
    } catch {
      // The page says already that the platform does not answer.
    }
  }

  async #read(name) {
    const query = this.#queries.get(name) ?? new URLSearchParams();
    const response = await fetch(`${name}?${query}`);
    return [response, await response.json()];
  }

  #draw(list, place, answer) {
    const [kind, name = ""] = place.dataset.place.split("/");
    const { list: entriesOf, none, show } = KINDS[kind] ??
      { list: ({ deadLetters }) => deadLetters, none: "No dead letters.", show: makeDeadLetter };
    const entries = entriesOf(answer).map((entry) => this.#makeEntry(show(entry, name)));
    list.replaceChildren(...entries);
    if (entries.length === 0) list.append(make("li", { class: "muted" }, none));
    const count = place.querySelector(".count");
    if (kind === "queues") {
      const { visible, invisible, delayed, deadLetters } = answer;
      count.textContent = `${visible} waiting, ${invisible} in flight or to be retried, ` +
        `${delayed} with a delay, ${showCount(deadLetters, "dead letter")}`;
    }
    const query = this.#queries.get(place.dataset.place) ?? new URLSearchParams();
    const move = (text, after) =>
      make("button", {
        type: "button",
        onclick: () => {
          const next = new URLSearchParams(query);
          if (after === undefined) next.delete("after");
          else next.set("after", after);
          this.#queries.set(place.dataset.place, next);
          void this.refresh();
        },
      }, text);
    if (query.has("after")) list.prepend(make("li", {}, move("From the first one")));
    if (answer.next !== undefined) list.append(make("li", {}, move("More", answer.next)));
  }

  #makeEntry({ name, parts, remove, buttons = [] }) {
    const item = make("li", { class: "entry" });
    const button = (text, run, why) =>
      make("button", {
        type: "button",
        "aria-label": `${text} ${name}`,
        "aria-disabled": why && "true",
        "aria-describedby": why,
        onclick: async () => {
          const response = await run();
          if (response && !response.ok) {
            const { message } = await response.json();
            item.append(make("p", { class: "bad", role: "status" }, message));
          } else if (response) await this.refresh();
        },
      }, text);
    item.append(
      ...parts,
      make(
        "span",
        { class: "buttons" },
        buttons.map(([text, run, why]) => button(text, run, why)),
        button("Delete", remove),
      ),
    );
    return item;
  }
}
