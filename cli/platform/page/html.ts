/** HTML, which is not escaped again. */
export class Html {
  constructor(readonly text: string) {}
}

/** The values of a template: text, which is escaped, HTML, which is not, and lists of both. */
export type Fragment = string | number | Html | readonly Fragment[];

/** Makes HTML of a template. Every value is escaped, for the content of an element and for an attribute in quotes. */
export function markup(parts: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)));
}

function render(value: Fragment): string {
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
