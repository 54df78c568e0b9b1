/** HTML, which is not escaped again. */
export class Html {
  readonly text: string;

  /** Marks text as HTML. */
  constructor(text: string) {
    this.text = text;
  }
}

/** The values of a template: text, which is escaped, HTML, which is not, and lists of both. */
export type Fragment = string | number | Html | readonly Fragment[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Makes HTML of a template. Every value is escaped, for the content of an element and for an attribute in quotes.
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(
    strings.map((part, index) => index === 0 ? part : render(values[index - 1]!) + part).join(""),
  );
}

function render(value: Fragment): string {
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
