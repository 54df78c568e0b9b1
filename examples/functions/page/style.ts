import { Html } from "./html.ts";

// No tagged template: it would be formatted as HTML.
const CSS = `
:root {
  color-scheme: light dark;
  --paper: #faf9f7;
  --card: #ffffff;
  --ink: #1e2124;
  --soft: #5b626b;
  --line: #e4e2dd;
  --accent: #0a5a72;
  --mark: #d97a2b;
  --key: #3d444d;
  --string: #17663a;
  --literal: #8a3b12;
  --alarm: #9d2119;
  --alarm-card: #fcefed;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131517;
    --card: #1b1e21;
    --ink: #e8e9ea;
    --soft: #a2a9b1;
    --line: #2e3338;
    --accent: #7fc8de;
    --mark: #f0a35e;
    --key: #c3cad2;
    --string: #93d6a8;
    --literal: #f0b48a;
    --alarm: #ffa79e;
    --alarm-card: #2e1d1b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto;
  max-width: 70rem;
  padding: 1.25rem clamp(1rem, 4vw, 3rem) 3rem;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: 0.875rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; align-items: baseline; justify-content: space-between; }
header p { margin: 0; font-weight: 700; }
header p a { color: inherit; text-decoration: none; }
header p a:hover { text-decoration: underline; }
nav ul { display: flex; gap: 0.25rem; margin: 0 -0.75rem; padding: 0; list-style: none; }
nav a { display: block; padding: 0.5rem 0.75rem; border-radius: 0.5rem; color: var(--soft); text-decoration: none; }
nav a:hover { color: var(--ink); text-decoration: underline; }
nav a[aria-current] { background: var(--card); color: var(--ink); font-weight: 600; box-shadow: inset 0 0 0 1px var(--line); }
h1 {
  margin: clamp(2rem, 7vw, 4rem) 0 0.75rem;
  max-width: 24em;
  font-size: clamp(1.75rem, 5vw, 2.75rem);
  font-weight: 700;
  letter-spacing: -0.02em;
  line-height: 1.12;
  text-wrap: balance;
}
h1::before { content: ""; display: block; width: 2.5rem; height: 0.3rem; margin-bottom: 1.25rem; border-radius: 1rem; background: var(--mark); }
.failed h1::before { background: var(--alarm); }
.lead { margin: 0; max-width: 40em; color: var(--soft); font-size: 1.0625rem; }
h2 { margin: 2.75rem 0 0.75rem; font-size: 1.1875rem; letter-spacing: -0.01em; }
main > dl, details, .answer { margin: 0; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--card); overflow: hidden; }
.row { display: grid; grid-template-columns: minmax(0, 22.5rem) minmax(0, 1fr); gap: 0.25rem 1.5rem; align-items: baseline; padding: 0.75rem 1.125rem; }
.row + .row { border-top: 1px solid var(--line); }
dl, dt, dd { margin: 0; }
pre { margin: 0; white-space: pre-wrap; line-height: 1.55; }
.key { color: var(--key); }
.string { color: var(--string); }
.literal { color: var(--literal); }
.cut { margin: 0.5rem 0 0; color: var(--soft); font-size: 0.875rem; }
.raised { margin: 0; padding: 0.375rem 0.75rem; border-radius: 0.5rem; background: var(--alarm-card); color: var(--alarm); font-size: 0.9375rem; }
.pairs > div { display: grid; grid-template-columns: minmax(0, 11.5rem) minmax(0, 1fr); gap: 0 1rem; align-items: baseline; }
.pairs > div + div { margin-top: 0.25rem; }
.pairs { font-size: 0.875rem; line-height: 1.5; }
.pairs dt { color: var(--soft); }
.argument { white-space: nowrap; }
.answer { padding: 0.875rem 1.125rem; }
summary { padding: 0.75rem 1.125rem; color: var(--accent); cursor: pointer; }
summary:focus-visible { outline-offset: -4px; }
details pre { padding: 0 1.125rem 1rem; }
details .cut { padding: 0 1.125rem 1rem; margin: 0; }
footer { margin-top: 2.75rem; color: var(--soft); font-size: 0.9375rem; }
footer p { margin: 0; }
@media (max-width: 44rem) {
  .row { grid-template-columns: minmax(0, 1fr); padding: 0.75rem 1rem; }
  .row > dt > a { display: inline-block; padding: 0.25rem 0; }
  .pairs > div { grid-template-columns: minmax(0, 1fr); }
  .pairs > div + div { margin-top: 0.5rem; }
  nav ul { margin: 0; }
  code, pre { font-size: 0.8125rem; }
}
@media print {
  body { max-width: none; padding: 0; }
  nav { display: none; }
}
`;

/** The style sheet of the pages. */
export const STYLE: Html = new Html(CSS);

/** The SHA-256 of the style sheet, in base64: the policy of the pages lets this one style through and no other.
 * After a change of the style sheet, its test says what the hash is now. */
export const STYLE_HASH = "sha256-rrOOuPB6g+KZwYv7WuWGz8WH3craOnEwZJu1a0FBOV0=";
