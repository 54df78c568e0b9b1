/** The page that a browser gets in place of JSON, and the headers that go with every answer. */

const STYLE = `
:root { color-scheme: light dark; --ink: #1e2124; --soft: #5b626b; --paper: #faf9f7; --card: #fff; --line: #ddd; --link: #0a5a72; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e9ea; --soft: #a2a9b1; --paper: #131517; --card: #1b1e21; --line: #363c42; --link: #7fc8de; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem clamp(1rem, 4vw, 3rem) 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
h1 { font-size: clamp(1.5rem, 5vw, 2.5rem); line-height: 1.2; }
dl { margin: 0; padding: .25rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
dl dl { margin: .25rem 0; }
dl > div { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: 0 1rem; padding: .35rem 0; }
dl > div + div { border-top: 1px solid var(--line); }
dt { color: var(--soft); }
dd { margin: 0; white-space: pre-wrap; font-family: ui-monospace, monospace; font-size: .875rem; }
@media (max-width: 40rem) { dl > div { grid-template-columns: minmax(0, 1fr); } }
`;

/** Scripts of every origin may read the answers. A page runs no script, loads nothing, and no cache keeps it. */
export const HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Cache-Control": "no-store",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
} as const;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control and direction characters become visible, because a page that echoes its caller must not deceive. */
const UNSAFE =
  /[&<>"']|(?![\t\n])[\p{Cc}\p{Cs}\p{Bidi_Control}\u200b\u2028\u2029\u2060-\u2064\ufeff]/gu;

/** Escapes text for HTML, for elements and for attributes in double quotes. */
export function escape(text: string): string {
  return text.replace(
    UNSAFE,
    (character) =>
      ENTITIES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Shows a value of JSON: the members of objects and arrays as a list, everything else as text. */
function show(value: unknown): string {
  if (typeof value !== "object" || value === null) return escape(JSON.stringify(value));
  const members = Object.entries(value);
  if (members.length === 0) return Array.isArray(value) ? "[]" : "{}";
  const rows = members.map(([name, member]) =>
    `<div><dt>${escape(name)}</dt><dd>${show(member)}</dd></div>`
  );
  return `<dl>${rows.join("")}</dl>`;
}

/** The transformer for `text/html`: shows what a function answers as a page. */
export function page(payload: unknown): [content: string, contentType: string] {
  const data = JSON.parse(JSON.stringify(payload));
  const title = escape(String(data?.Message ?? "The answer"));
  return [
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${show(data)}
<p>The same as JSON: ask with the header <code>Accept: application/json</code>.</p>
</main>
</body>
</html>
`,
    "text/html; charset=utf-8",
  ];
}
