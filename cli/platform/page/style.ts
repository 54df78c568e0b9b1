export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0f766e"/>
<path d="M7 23V10l9 8 9-8v13" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round"
stroke-linejoin="round"/></svg>`;

export const STYLE = `:root {
  color-scheme: light dark;
  --page: light-dark(#f6f7f8, #111416);
  --surface: light-dark(#fff, #1a1e21);
  --sunken: light-dark(#eef1f2, #131719);
  --line: light-dark(#d8dee1, #2d3438);
  --text: light-dark(#1b2327, #e4e9eb);
  --muted: light-dark(#56636a, #9aa7ae);
  --accent: light-dark(#0f766e, #4fd1c1);
  --on-accent: light-dark(#fff, #06251f);
  --bad: light-dark(#b42318, #ff8d82);
  --warn: light-dark(#8a5a00, #f0bf66);
  --border: 1px solid var(--line);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
header, main { max-width: 100rem; margin: 0 auto; padding: 0 clamp(0.75rem, 3vw, 2rem); }
header { padding-block: 1.5rem 0.5rem; }
header p { margin: 0.25rem 0 0; color: var(--muted); }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 0 0 0.75rem; font-size: 1.1rem; }
h3 { margin: 0; font: 600 1.05rem/1.4 var(--mono); }
main { display: grid; gap: 1.5rem; padding-block: 1rem 2rem; }
code, textarea, pre, input:not([type="file"], [type="checkbox"]) { font: 0.875rem/1.5 var(--mono); }
code { overflow-wrap: anywhere; }
a { color: var(--accent); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 0.5rem; top: 0.5rem; padding: 0.25rem 0.75rem; background: var(--surface); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
article {
  margin-bottom: 0.75rem; padding: 1rem;
  background: var(--surface); border: var(--border); border-radius: 0.6rem;
}
article > p { margin: 0.15rem 0 0; }
.facts, .facts code { color: var(--muted); font-size: 0.85rem; }
.routes, .objects { list-style: none; margin: 0.75rem 0 0; padding: 0; }
.routes li {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 0.6rem; padding: 0.35rem 0;
}
.routes li + li { border-top: var(--border); }
.routes a { font: 0.95rem/1.5 var(--mono); }
.routes .copyable { flex-basis: 100%; }
.method {
  padding: 0 0.4rem; border-radius: 0.25rem;
  background: var(--sunken); color: var(--muted); font: 600 0.75rem/1.6 var(--mono);
}
.copyable {
  display: inline-flex; align-items: baseline; gap: 0.4rem; min-width: 0; color: var(--muted);
}
.empty { margin: 0.5rem 0 0; color: var(--muted); font-size: 0.875rem; }

details, form { margin-top: 0.75rem; }
summary { cursor: pointer; color: var(--muted); }
summary:hover { color: var(--text); }
form p { margin: 0 0 0.5rem; }
form label { display: block; margin-bottom: 0.5rem; color: var(--muted); font-size: 0.85rem; }
.row { display: flex; flex-wrap: wrap; gap: 0 0.75rem; }
.row label { flex: 1 1 8rem; }
.row .wide { flex: 2 1 12rem; }
input:not([type="checkbox"]), select, textarea {
  display: block; width: 100%; min-height: 2.3rem; padding: 0.35rem 0.5rem;
  border: var(--border); border-radius: 0.35rem; background: var(--page); color: var(--text);
}
textarea { resize: vertical; }
fieldset { margin: 0 0 0.75rem; padding: 0.5rem 0.75rem 0.75rem; border: var(--border); }
legend { padding: 0 0.3rem; color: var(--muted); font-size: 0.85rem; }
button {
  min-height: 2.3rem; padding: 0.3rem 0.9rem; border: var(--border); border-radius: 0.35rem;
  background: var(--surface); color: var(--text); font: inherit; font-size: 0.9rem; cursor: pointer;
}
button:hover { border-color: var(--accent); }
button:disabled { opacity: 0.6; }
form > button { background: var(--accent); color: var(--on-accent); font-weight: 600; }
.copyable button, .objects button {
  min-height: 1.6rem; padding: 0 0.5rem; color: var(--muted); font-size: 0.75rem;
}
output { display: block; margin-top: 0.5rem; }
output:empty { display: none; }
output .failed { color: var(--bad); }
output pre {
  max-height: 22rem; margin: 0.35rem 0 0; padding: 0.6rem; overflow: auto;
  background: var(--sunken); white-space: pre-wrap; overflow-wrap: anywhere;
}
.objects li { display: flex; align-items: baseline; gap: 0.6rem; padding: 0.25rem 0; }
.objects a, .objects code { overflow-wrap: anywhere; }
.objects span { margin-left: auto; color: var(--muted); white-space: nowrap; }

.log { display: flex; flex-direction: column; min-width: 0; }
.toolbar {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem;
  margin-bottom: 0.5rem; font-size: 0.875rem;
}
.toolbar select { display: inline-block; width: auto; }
#log-state { margin-left: auto; color: var(--muted); }
#log-view {
  flex: 1 1 auto; min-height: 8rem; max-height: 70vh; overflow: auto;
  background: var(--surface); border: var(--border); border-radius: 0.6rem;
  font: 0.8125rem/1.5 var(--mono);
}
#log-records { margin: 0; padding: 0.25rem 0; list-style: none; }
#log-records li {
  display: grid; grid-template-columns: auto minmax(10ch, auto) minmax(0, 1fr); gap: 0 0.75rem;
  padding: 0.1rem 0.75rem; border-left: 3px solid transparent;
}
#log-records .error { border-left-color: var(--bad); }
#log-records .warn { border-left-color: var(--warn); }
#log-records .error .text { color: var(--bad); }
#log-records time, #log-records .platform { color: var(--muted); }
#log-records .text { white-space: pre-wrap; overflow-wrap: anywhere; }
#log-records details { margin: 0; }
#log-records summary { color: inherit; }
.name { color: var(--accent); }

@media (min-width: 64rem) {
  main { grid-template-columns: minmax(24rem, 5fr) minmax(0, 6fr); align-items: start; }
  .log { position: sticky; top: 1rem; height: calc(100vh - 2rem); }
  #log-view { max-height: none; }
}
@media (max-width: 40rem) {
  #log-records li { grid-template-columns: auto minmax(0, 1fr); justify-items: start; }
  #log-records li > :last-child { grid-column: 1 / -1; max-width: 100%; }
}
`;
