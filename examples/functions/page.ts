import { cors, type ProxyHandlerOptions } from "@mate/core/gateway";

/** The options of the HTTP functions: browsers get a page, and scripts of every origin may read the answers. */
export const options: ProxyHandlerOptions = {
  customTransformers: { "text/html": page },
  use: [cors({ origins: "*", maxAge: 7_200 })],
  extraHeaders: {
    "Cache-Control": "no-store",
    // A page shows data of its caller, so it may run no script and load nothing.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Content-Type-Options": "nosniff",
  },
};

const STYLE = `
:root { color-scheme: light dark; --ink: #1e2124; --soft: #5b626b; --paper: #faf9f7; --card: #fff; --line: #ddd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e9ea; --soft: #a2a9b1; --paper: #131517; --card: #1b1e21; --line: #363c42; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
dl { margin: .25rem 0; padding: .25rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
dl > div { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: 0 1rem; padding: .35rem 0; }
dl > div + div { border-top: 1px solid var(--line); }
dt { color: var(--soft); }
dd { margin: 0; white-space: pre-wrap; font: .875rem ui-monospace, monospace; }
@media (max-width: 40rem) { dl > div { grid-template-columns: minmax(0, 1fr); } }
`;

/** Escapes text for HTML. Characters that could deceive a reader, such as marks of the text direction, become visible. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replace(
    /(?![\t\n])[\p{Cc}\p{Cs}\p{Bidi_Control}\u200b\u2028\u2029\u2060-\u2064\ufeff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Shows a value of JSON: the members of objects and arrays as a list, everything else as text. */
function show(value: unknown): string {
  if (typeof value !== "object" || value === null) return escape(JSON.stringify(value));
  const rows = Object.entries(value).map(([name, member]) =>
    `<div><dt>${escape(name)}</dt><dd>${show(member)}</dd></div>`
  );
  return rows.length > 0 ? `<dl>${rows.join("")}</dl>` : Array.isArray(value) ? "[]" : "{}";
}

/** The transformer for `text/html`: shows the payload as a page. */
export function page(payload: unknown): [content: string, contentType: string] {
  return [
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The answer</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<main>
<h1>The answer</h1>
${show(JSON.parse(JSON.stringify(payload)))}
<p>To get JSON, send the header <code>Accept: application/json</code>.</p>
</main>
`,
    "text/html; charset=utf-8",
  ];
}
