import type { JsonObject, JsonValue } from "@mate/core/function";
import { type Html, html } from "./html.ts";
import { code, json, layOut } from "./json.ts";
import { type FunctionName, FUNCTIONS, navigation } from "./navigation.ts";
import { STYLE } from "./style.ts";

const DOCS = "https://jsr.io/@mate/core/doc/gateway/~/";
const ICON = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Crect width='16' height='16' rx='4' fill='%23d97a2b'/%3E" +
  "%3Cpath d='M4 12V5l4 4 4-4v7' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E";

/** What differs from page to page. */
interface Parts {
  readonly heading: string;
  readonly body: Html;
  readonly path?: string;
  readonly className?: string;
}

/**
 * The transformer for the type `text/html`: shows what a function answers as a page.
 *
 * @param name The function.
 * @returns A transformer for the option `customTransformers`.
 */
export function htmlPage(name: FunctionName): (payload: unknown) => [string, string] {
  return (payload) => {
    const data: JsonValue = JSON.parse(JSON.stringify(payload));
    const { heading, path = "", className = "", body } =
      isObject(data) && isObject(data.accessors) && isObject(data.rawEvent)
        ? echo(data.accessors, data.rawEvent)
        : answer(data);
    const page = html`
      <!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <meta name="color-scheme" content="light dark">
          <title>${heading} · ${name}</title>
          <link rel="icon" href="${ICON}">
          <style>${STYLE}</style>
        </head>
        <body>
          <header>
      <p><a href="https://jsr.io/@mate/core">@mate/core</a></p>
      ${navigation(name, path)}
          </header>
          <main class="${className}">
      <h1>${heading}</h1>
      <p class="lead">${FUNCTIONS[name]}</p>
      ${body}
          </main>
          <footer>
            <p>The same as JSON: ask with the header <code>Accept: application/json</code>.</p>
          </footer>
        </body>
      </html>
    `;
    return [page.toString().trimStart(), "text/html; charset=utf-8"];
  };
}

/** The page of a request: what every accessor gave, and the event. */
function echo(accessors: JsonObject, rawEvent: JsonValue): Parts {
  const path = isObject(rawEvent) && isObject(rawEvent.requestContext) &&
    rawEvent.requestContext.path;
  return {
    heading: "Your request",
    path: typeof path === "string" ? path : "",
    body: html`<h2>Accessors</h2>
<dl>${Object.entries(accessors).map(([call, outcome]) => row(call, outcome as JsonObject))}</dl>
<h2>Raw event</h2>
<details><summary>Show the event as the function received it</summary>${
      code(layOut(rawEvent))
    }</details>`,
  };
}

function row(call: string, { result, error }: JsonObject): Html {
  const method = call.slice(0, call.indexOf("("));
  const argument = html`<span class="argument">${call.slice(method.length)}</span>`;
  const url = DOCS + encodeURIComponent(`FnProxyEvent.prototype.${method}`);
  return html`
    <div class="row">
      <dt><a href="${url}"><code>${method}<wbr>${argument}</code></a></dt>
      <dd>${typeof error === "string"
        ? html`<p class="raised">${error}</p>`
        : json(result ?? null)}</dd>
    </div>
  `;
}

/** The page of any other answer; that of an error is `{ "Message": … }`. */
function answer(payload: JsonValue): Parts {
  const message = isObject(payload) && payload.Message;
  return {
    heading: typeof message === "string" ? message : "The answer",
    className: "failed",
    body: html`<h2>The whole answer</h2>
<div class="answer">${code(layOut(payload))}</div>`,
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
