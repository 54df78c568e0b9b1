/**
 * Markup whose values are escaped. Only {@linkcode html} makes it, so nothing gets into a page unescaped by
 * mistake.
 */
export class Html {
  readonly #markup: string;

  /** Wraps markup; for {@linkcode html} alone. */
  constructor(markup: string) {
    this.#markup = markup;
  }

  /** The markup. */
  toString(): string {
    return this.#markup;
  }
}

/** What a template takes: text to be escaped, markup, or a list of both. */
export type Content = string | Html | readonly Content[];

/**
 * Makes markup of a template. Values may stand where text does, and in attributes within double quotes: one
 * escaping is right for both. They must not stand in a tag's or an attribute's name, a style, a script or the
 * scheme of a URL.
 */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  let markup = parts[0]!;
  values.forEach((value, index) => markup += render(value) + parts[index + 1]!);
  return new Html(markup);
}

function render(content: Content): string {
  if (content instanceof Html) return content.toString();
  return typeof content === "string" ? escape(content) : content.map(render).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// Beside the characters of the syntax, those that do not show or that reorder the ones around them. The joiners
// of emoji and scripts (U+200C, U+200D) stay.
const UNSAFE =
  /[&<>"']|(?![\t\n])[\p{Cc}\p{Cs}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060-\u2064\ufeff]/gu;

/**
 * Escapes text for HTML. Control, direction and other invisible characters become visible (`\u202e`): a page
 * that echoes its caller must not look other than it is.
 */
export function escape(text: string): string {
  return text.replace(UNSAFE, (character) =>
    ENTITIES[character] ??
      `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
