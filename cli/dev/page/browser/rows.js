// A long list of which only the rows in view are in the document.
import { make } from "./make.js";

/** The rows above and below the view. */
const MORE = 4;

let lists = 0;

/** Shows items with keys as rows of the same height. One row is selected, by pointer or keyboard. */
export class Rows {
  #items = [];
  #indexes = new Map();
  #shown = new Map();
  #selected;
  #prefix = `rows-${++lists}`;

  /**
   * @param view The element that scrolls: a list box or a tree.
   * @param options.fill Makes the content of a row.
   * @param options.select Learns that the user has selected a row, and `isDone` if that was by Enter or a pointer.
   * @param options.height Returns the height of a row, in pixels.
   */
  constructor(view, options) {
    this.view = view;
    this.options = options;
    this.role = view.getAttribute("role") === "tree" ? "treeitem" : "option";
    this.space = make("div", { class: "rows", role: "none" });
    view.append(this.space);
    view.addEventListener("scroll", () => this.#draw(), { passive: true });
    view.addEventListener("keydown", (event) => this.#onKey(event));
    view.addEventListener("click", ({ target }) => {
      const key = target.closest("[data-key]")?.dataset.key;
      if (key !== undefined) this.#choose(key, true);
    });
    new ResizeObserver(() => this.#draw()).observe(view);
  }

  /** Shows other items. Rows whose items are the same objects stay as they are. */
  set(items, selected) {
    const first = Math.floor(this.view.scrollTop / this.options.height());
    const anchor = first > 0 ? this.#items[first]?.key : undefined;
    this.#items = items;
    this.#selected = selected;
    this.#indexes = new Map(items.map(({ key }, index) => [key, index]));
    this.space.style.height = `${items.length * this.options.height()}px`;
    const index = this.#indexes.get(anchor);
    if (index !== undefined) this.view.scrollTop += (index - first) * this.options.height();
    this.#draw();
  }

  /** Scrolls to a row. */
  show(key) {
    const index = this.#indexes.get(key);
    if (index === undefined) return;
    const height = this.options.height();
    const { scrollTop, clientHeight } = this.view;
    const top = index * height;
    if (top < scrollTop) this.view.scrollTop = top;
    else if (top + height > scrollTop + clientHeight) {
      this.view.scrollTop = top + height - clientHeight;
    }
    this.#draw();
  }

  /** Makes all rows again, since what surrounds them has changed. */
  redraw() {
    for (const { row } of this.#shown.values()) row.remove();
    this.#shown.clear();
    this.#draw();
  }

  #choose(key, isDone) {
    this.#selected = key;
    this.show(key);
    this.options.select(key, isDone);
  }

  #onKey(event) {
    const { key } = event;
    const last = this.#items.length - 1;
    const index = this.#indexes.get(this.#selected) ?? -1;
    const page = Math.max(1, Math.floor(this.view.clientHeight / this.options.height()) - 1);
    const next = {
      ArrowDown: index + 1,
      ArrowUp: index < 0 ? 0 : index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: last,
    }[key];
    if (last < 0 || (next === undefined && key !== "Enter" && key !== " ")) return;
    event.preventDefault();
    const chosen = this.#items[Math.min(Math.max(next ?? index, 0), last)];
    this.#choose(chosen.key, next === undefined);
  }

  #draw() {
    const height = this.options.height();
    const { scrollTop, clientHeight } = this.view;
    const from = Math.max(0, Math.floor(scrollTop / height) - MORE);
    const to = Math.min(this.#items.length, Math.ceil((scrollTop + clientHeight) / height) + MORE);
    const items = clientHeight === 0 ? [] : this.#items.slice(from, to);
    const keys = new Set(items.map(({ key }) => key));
    for (const [key, { row }] of this.#shown) {
      if (keys.has(key)) continue;
      row.remove();
      this.#shown.delete(key);
    }
    items.forEach((item, offset) => this.#drawRow(item, from + offset, height));
    const active = this.#shown.get(this.#selected)?.row.id;
    if (active === undefined) this.view.removeAttribute("aria-activedescendant");
    else this.view.setAttribute("aria-activedescendant", active);
  }

  #drawRow(item, index, height) {
    let shown = this.#shown.get(item.key);
    if (shown?.item !== item) {
      const row = shown?.row ??
        make("div", { id: `${this.#prefix}-${item.key}`, role: this.role, "data-key": item.key });
      row.className = "row-of-list";
      row.replaceChildren();
      this.options.fill(row, item);
      shown = { row, item };
      this.#shown.set(item.key, shown);
    }
    const { row } = shown;
    row.style.top = `${index * height}px`;
    const { depth, position = index + 1, size = this.#items.length } = item;
    row.setAttribute("aria-posinset", position);
    row.setAttribute("aria-setsize", size);
    if (depth !== undefined) row.setAttribute("aria-level", depth + 1);
    row.setAttribute("aria-selected", item.key === this.#selected);
    if (row.parentNode === null) this.space.append(row);
  }
}
