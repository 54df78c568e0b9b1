import { Buffer } from "node:buffer";
import type { Application } from "../../application/types.ts";
import { allow, errorReply, type Reply } from "../../lambda/http.ts";
import { HIDDEN_CHARACTERS } from "../../rules/visible_text.ts";
import dataScript from "./browser/data.js" with { type: "text" };
import describeScript from "./browser/describe.js" with { type: "text" };
import detailScript from "./browser/detail.js" with { type: "text" };
import formsScript from "./browser/forms.js" with { type: "text" };
import logScript from "./browser/log.js" with { type: "text" };
import makeScript from "./browser/make.js" with { type: "text" };
import mapScript from "./browser/map.js" with { type: "text" };
import payloadScript from "./browser/payload.js" with { type: "text" };
import problemScript from "./browser/problem.js" with { type: "text" };
import recordsScript from "./browser/records.js" with { type: "text" };
import rowsScript from "./browser/rows.js" with { type: "text" };
import script from "./browser/script.js" with { type: "text" };
import spansScript from "./browser/spans.js" with { type: "text" };
import timelineScript from "./browser/timeline.js" with { type: "text" };
import traceListScript from "./browser/trace_list.js" with { type: "text" };
import traceTreeScript from "./browser/trace_tree.js" with { type: "text" };
import unitsScript from "./browser/units.js" with { type: "text" };
import { createData } from "./data_places.ts";
import { copyable, type Html, markup } from "./forms.ts";
import { createFunctions } from "./functions.ts";
import icon from "./icon.svg" with { type: "text" };
import { createMap } from "./map.ts";
import baseStyle from "./style/base.css" with { type: "text" };
import frameStyle from "./style/frame.css" with { type: "text" };
import formsStyle from "./style/forms.css" with { type: "text" };
import logStyle from "./style/log.css" with { type: "text" };
import tracesStyle from "./style/traces.css" with { type: "text" };
import detailStyle from "./style/detail.css" with { type: "text" };
import mapStyle from "./style/map.css" with { type: "text" };
import { createTraces } from "./trace_places.ts";

const SCRIPTS = {
  data: dataScript,
  describe: describeScript,
  detail: detailScript,
  forms: formsScript,
  log: logScript,
  make: `const HIDDEN_CHARACTERS = ${HIDDEN_CHARACTERS};\n${makeScript}`,
  map: mapScript,
  payload: payloadScript,
  problem: problemScript,
  records: recordsScript,
  rows: rowsScript,
  script,
  spans: spansScript,
  timeline: timelineScript,
  trace_list: traceListScript,
  trace_tree: traceTreeScript,
  units: unitsScript,
};

/** The parts of the style sheet. Later rules win. */
const STYLE = [baseStyle, frameStyle, formsStyle, logStyle, tracesStyle, detailStyle, mapStyle]
  .join("\n");

const ASSETS = new Map<string, readonly [type: string, text: string]>([
  ["/assets/icon.svg", ["image/svg+xml", icon]],
  ["/favicon.ico", ["image/svg+xml", icon]], // Browsers ask for it when they show the page of a function.
  ["/assets/style.css", ["text/css; charset=utf-8", STYLE]],
  ...Object.entries(SCRIPTS).map(([name, text]) =>
    [`/assets/${name}.js`, ["text/javascript; charset=utf-8", text]] as const
  ),
]);

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
 * Makes the start page: the traces, the forms of each function, the data and the log.
 *
 * @param origin The origin of the application.
 */
export function createStartPage(application: Application, origin: string): string {
  const { api, gateway, name } = application;
  const base = origin + (gateway?.prefix ?? "");
  const tabs = {
    traces: ["Traces", createTraces(createMap(application))],
    try: ["Try it", createFunctions(application, base)],
    data: ["Data", createData(application)],
    log: ["Log", createLog(Object.keys(application.functions))],
  } as const;
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name} · local platform</title>
<link rel="icon" type="image/svg+xml" href="assets/icon.svg">
<link rel="stylesheet" href="assets/style.css">
<script type="module" src="assets/script.js"></script>
</head>
<body>
<header>
<h1>${name}</h1>
<nav aria-label="Views">
${Object.entries(tabs).map(([id, [title]]) => markup`<a id="tab-${id}" href="#${id}">${title}</a>`)}
</nav>
<p class="base">${copyable(base)}</p>
${api === undefined ? [] : markup`<a href="${OPENAPI.slice(1)}">OpenAPI</a>`}
<span id="state" role="status">Connecting…</span>
</header>
<main>
${
    Object.entries(tabs).map(([id, [, content]]) =>
      markup`<div id="${id}" class="tab" hidden>${content}</div>`
    )
  }
</main>
</body>
</html>
`.text;
}

function createLog(functions: readonly string[]): Html {
  return markup`
<div class="toolbar">
<label>Show <select id="log-filter">
<option value="*">all functions</option>
${functions.map((name) => markup`<option>${name}</option>`)}
</select></label>
<label><input type="checkbox" id="log-follow" checked> Follow</label>
<button type="button" id="log-clear">Clear</button>
<span id="log-state" role="status"></span>
</div>
<div id="log-view" role="log" aria-label="Log" tabindex="0"><ol id="log-records"></ol></div>
<p class="empty" id="log-empty">
Nothing yet. Send a request or fire a trigger, and its records appear here.
</p>`;
}
