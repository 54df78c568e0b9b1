// Makes elements. Every text of a function passes here, so no character can hide or turn a text.

/** Shows the characters that hide or turn a text. The platform sets the pattern. */
export const visible = (text) =>
  String(text).replaceAll(
    HIDDEN_CHARACTERS,
    (character) => `<U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );

/**
 * Makes an element. An attribute whose name begins with `on` is a listener; one that is `undefined` or `false` is left out, and
 * so is such a child.
 */
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : visible(value));
  }
  const known = children.flat(Infinity).filter((child) => child !== undefined && child !== false);
  made.append(...known.map((child) => child instanceof Node ? child : visible(child)));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Makes a button that copies a text. */
export function makeCopy(text, label, name = "Copy") {
  return make("button", { type: "button", "data-copy": text, "aria-label": label }, name);
}

/** Makes a text that scrolls, also by keyboard. */
export function makePre(text, label) {
  return make("pre", { tabindex: 0, role: "region", "aria-label": label }, text);
}
