/** A piece of HTML. It is not escaped again. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value of a template: text, a piece of HTML, or a list. Only text is escaped. */
export type Fragment = string | number | Html | readonly Fragment[];

/** Makes HTML from a template. Text is escaped for the content of elements and for attributes in quotes. */
export function markup(parts: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)));
}

function render(value: Fragment): string {
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function option(text: string): Html {
  return markup`<option>${text}</option>`;
}

export function copyable(text: string): Html {
  return markup`<span class="copyable"><code>${text}</code>
<button type="button" data-copy="${text}" aria-label="Copy ${text}">Copy</button></span>`;
}

/** Makes the field `body` with an example. */
export function jsonField(label: string, rows: number, example: unknown): Html {
  const text = JSON.stringify(example, null, 2);
  return markup`
<label>${label}
<textarea name="body" rows="${rows}" spellcheck="false">${text}</textarea></label>`;
}

export interface Form {
  readonly title?: Html;
  /** The line that unfolds the form. */
  readonly summary?: string;
  /** Whether the form is unfolded from the start. */
  readonly isOpen?: boolean;
  readonly fields?: Html;
  readonly button: string;
  /** The function in `browser/forms.js` that sends the fields. The default is `text`. */
  readonly sender?: "request" | "file" | "message";
  /** Where the fields go, relative to the start page. */
  readonly path: string;
}

export function createForm(form: Form): Html {
  const { title, summary, isOpen, fields = [], button, sender = "text", path } = form;
  const content = markup`
<form data-sender="${sender}" data-path="${path}">
${title ? markup`<p>${title}</p>` : []}
${fields}
<button>${button}</button>
<output></output>
</form>`;
  const open = isOpen ? markup` open` : [];
  return summary
    ? markup`<details${open}><summary>${summary}</summary>${content}</details>`
    : content;
}
