import { Buffer } from "node:buffer";
import type { Application, Table } from "../../application/types.ts";
import { allow, errorReply, type Reply } from "../../lambda/http.ts";
import { HIDDEN_CHARACTERS } from "../../rules/visible_text.ts";
import { copyable, createForm, type Html, jsonField, markup } from "./forms.ts";
import icon from "./icon.svg" with { type: "text" };
import script from "./script.js" with { type: "text" };
import style from "./style.css" with { type: "text" };
import { triggersOf } from "./triggers.ts";

const ASSETS = new Map<string, readonly [type: string, text: string]>(Object.entries({
  "/assets/icon.svg": ["image/svg+xml", icon],
  "/assets/script.js": [
    "text/javascript; charset=utf-8",
    `const HIDDEN_CHARACTERS = ${HIDDEN_CHARACTERS};\n${script}`,
  ],
  "/assets/style.css": ["text/css; charset=utf-8", style],
  "/favicon.ico": ["image/svg+xml", icon], // Browsers ask for it when they show the page of a function.
}));

const SECURITY = [
  [
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
  ["Cache-Control", "no-cache"],
] as const;

/** The path of the OpenAPI document. */
const OPENAPI = "/openapi.json";

/**
 * Answers a request to the start page, its assets or the document of the API, if the application describes one.
 *
 * @param readApi Reads the document. Rejects if the API cannot be described.
 */
export async function answerPage(
  application: Application,
  readApi: () => Promise<unknown>,
  method: string,
  path: string,
  origin: string,
): Promise<Reply> {
  if (path === OPENAPI && application.api !== undefined) {
    return await answerDocument(method, readApi);
  }
  const asset = path === "/"
    ? ["text/html; charset=utf-8", createStartPage(application, origin)] as const
    : ASSETS.get(path);
  if (asset === undefined) return errorReply(404, `There is no ${path}`, SECURITY);
  allow(method, "GET", "HEAD");
  const [type, text] = asset;
  return { status: 200, headers: [["Content-Type", type], ...SECURITY], body: Buffer.from(text) };
}

async function answerDocument(method: string, readApi: () => Promise<unknown>): Promise<Reply> {
  allow(method, "GET", "HEAD");
  try {
    const text = JSON.stringify(await readApi(), undefined, 2);
    const headers = [["Content-Type", "application/json"], ...SECURITY] as const;
    return { status: 200, headers, body: Buffer.from(text) };
  } catch (error) {
    return errorReply(500, (error as Error).message, SECURITY);
  }
}

/**
 * Makes the start page: a form for each trigger of each function, the tables, and the log.
 *
 * @param origin The origin of the application.
 */
export function createStartPage(application: Application, origin: string): string {
  const { api, gateway } = application;
  const base = origin + (gateway?.prefix ?? "");
  const functions = Object.keys(application.functions);
  const tables = Object.entries(application.tables);
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${application.name} · local platform</title>
<link rel="icon" type="image/svg+xml" href="assets/icon.svg">
<link rel="stylesheet" href="assets/style.css">
<script type="module" src="assets/script.js"></script>
</head>
<body>
<a class="skip" href="#log">Skip to the log</a>
<header>
<h1>${application.name}</h1>
<p>Running on this machine. The HTTP gateway is at ${copyable(base)}</p>
${!api ? [] : markup`<p>Its API: <a href="${OPENAPI.slice(1)}">OpenAPI document</a></p>`}
</header>
<main>
<section aria-labelledby="functions-title">
<h2 id="functions-title">Functions</h2>
${functions.map((name) => createCard(application, name, base))}
${tables.length > 0 ? markup`<h2>Tables</h2>` : []}
${tables.map(([name, table]) => createTable(name, table))}
</section>
<section aria-labelledby="log-title" class="log" id="log">
<h2 id="log-title">Log</h2>
<div class="toolbar">
<label>Show <select id="log-filter">
<option value="*">all functions</option>
${functions.map((name) => markup`<option>${name}</option>`)}
</select></label>
<label><input type="checkbox" id="log-follow" checked> Follow</label>
<button type="button" id="log-clear">Clear</button>
<span id="log-state" role="status">Connecting…</span>
</div>
<div id="log-view" role="log" aria-labelledby="log-title" tabindex="0"><ol id="log-records"></ol></div>
<p class="empty" id="log-empty">
Nothing yet. Send a request or fire a trigger, and its records appear here.
</p>
</section>
</main>
</body>
</html>
`.text;
}

function createCard(application: Application, name: string, base: string): Html {
  const { description, memory, timeout, code: { module } } = application.functions[name]!;
  const triggers = triggersOf(application, name, base);
  const addresses = triggers.flatMap(({ address }) => address ?? []);
  return markup`
<article aria-labelledby="function-${name}">
<h3 id="function-${name}">${name}</h3>
<p>${description}</p>
<p class="facts">${memory} MiB · ${timeout} s · <code>${module}</code></p>
${addresses.length > 0 ? markup`<ul class="routes">${addresses}</ul>` : []}
${triggers.map(({ form, note = [] }) => form ? createForm(form) : note)}
</article>`;
}

function createTable(table: string, { key, attributes }: Table): Html {
  const example = key.map((name) => [name, attributes[name] === "N" ? 1 : "example"]);
  const form = createForm({
    fields: jsonField("Item (JSON)", 3, Object.fromEntries(example)),
    button: "Put the item",
    path: `tables/${table}`,
    list: `The first 50 items of ${table}`,
  });
  return markup`
<article aria-labelledby="table-${table}">
<h3 id="table-${table}">${table}</h3>
${form}
</article>`;
}
