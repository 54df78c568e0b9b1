import { curlCommand, examplePath } from "../../application/invoking.ts";
import type { ApplicationFunction, Gateway, Rule, Table } from "../../application/types.ts";
import { urlCommand } from "../../gateway/routes.ts";
import { METHODS } from "../../rules/router.ts";

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

const TYPES = ["application/json", "text/html", "*/*"];

const ATTRIBUTE_TYPES = ["String", "Number", "String.Array", "Binary"];

/** Makes a list of the routes of a function with commands, and a form that sends a request. */
export function createRequestForm(
  name: string,
  routes: Gateway["routes"],
  stage: string,
  base: string,
): Html {
  const isAny = routes.some(({ method }) => method === "ANY");
  const own = routes.map(({ method }) => method).filter((method) => method !== "ANY");
  const methods = new Set(isAny ? ["GET", ...METHODS] : own);
  const paths = routes.map(({ path }) => `/${stage}${examplePath(path)}`);
  return markup`
<ul class="routes">${routes.map((route) => createRoute(route, base))}</ul>
<details>
<summary>Send a request</summary>
<form data-form="request">
<div class="row">
<label>Method<select name="method">${[...methods].map(option)}</select></label>
<label class="wide">Path and query
<input name="path" value="${paths[0]!}" list="paths-${name}" required spellcheck="false"></label>
<datalist id="paths-${name}">${paths.map(option)}</datalist>
<label>Accept<select name="accept">${TYPES.map(option)}</select></label>
</div>
<label>Header fields
<textarea name="headers" rows="1" placeholder="Authorization: Bearer token" spellcheck="false"></textarea></label>
<label>Body<textarea name="body" rows="2" spellcheck="false"></textarea></label>
<button>Send</button>
<output></output>
</form>
</details>`;
}

function createRoute({ method, path }: Gateway["routes"][number], base: string): Html {
  const example = examplePath(path);
  const isOpenable = method === "ANY" || method === "GET";
  return markup`
<li><span class="method">${method}</span>
${isOpenable ? markup`<a href="${base}${example}">${path}</a>` : markup`<code>${path}</code>`}
${copyable(curlCommand(method, base + example))}</li>`;
}

function option(text: string): Html {
  return markup`<option>${text}</option>`;
}

export function copyable(text: string): Html {
  return markup`<span class="copyable"><code>${text}</code>
<button type="button" data-copy="${text}" aria-label="Copy ${text}">Copy</button></span>`;
}

export function createScheduleForm(
  functionName: string,
  { expression, timezone }: { readonly expression: string; readonly timezone: string },
  index: number,
): Html {
  return markup`
<form data-form="post" data-path="schedules/${functionName}/${index}">
<p>Fires by itself: <code>${expression}</code> in ${timezone}</p>
<button>Fire now</button>
<output></output>
</form>`;
}

export function createBucketForm(functionName: string, bucket: string): Html {
  const title = `Objects of ${bucket}, of which ${functionName} is told`;
  return markup`
<form data-form="upload" data-bucket="${bucket}">
<p>Bucket <code>${bucket}</code></p>
<div class="row">
<label class="wide">File<input type="file" name="file" required></label>
<label class="wide">Key
<input name="key" placeholder="the name of the file" spellcheck="false"></label>
</div>
<button>Upload</button>
<output></output>
<ul class="objects" data-objects="${bucket}" aria-label="${title}"></ul>
</form>`;
}

export function createTopicForm(functionName: string, topic: string): Html {
  return markup`
<form data-form="publish" data-path="topics/${topic}">
<p>Topic <code>${topic}</code>, to which <b>${functionName}</b> is subscribed</p>
<label>Subject<input name="subject" maxlength="100"></label>
<label>Message<textarea name="message" rows="2" required></textarea></label>
<fieldset>
<legend>Attributes</legend>
<div class="row">
<label class="wide">Name<input name="attribute-name" spellcheck="false"></label>
<label>Type<select name="attribute-type">${ATTRIBUTE_TYPES.map(option)}</select></label>
<label class="wide">Value<input name="attribute-value" spellcheck="false"></label>
</div>
<button type="button" data-add="attribute">Another attribute</button>
</fieldset>
<button>Publish</button>
<output></output>
</form>`;
}

export function createQueueForm(functionName: string, queue: string, isFifo: boolean): Html {
  return markup`
<form data-form="post" data-path="queues/${queue}" data-queue="${queue}">
<p>Queue <code>${queue}</code>, whose messages invoke <b>${functionName}</b>:
<span data-counts="${queue}"></span></p>
${
    isFifo
      ? markup`<label>Message group
<input name="group" value="start-page" maxlength="128" required spellcheck="false"></label>`
      : []
  }
<label>Message of the queue<textarea name="body" rows="2" required></textarea></label>
<button>Send the message</button>
<output></output>
</form>`;
}

export function createTableForm(table: string, { key, attributes }: Table): Html {
  const example = Object.fromEntries(
    key.map((name) => [name, attributes[name] === "N" ? 1 : "example"]),
  );
  return markup`
<article aria-labelledby="table-${table}">
<h3 id="table-${table}">${table}</h3>
<form data-form="post" data-path="tables/${table}" data-table="${table}">
<label>Item (JSON)
<textarea name="body" rows="3" required spellcheck="false">${
    JSON.stringify(example, null, 2)
  }</textarea></label>
<button>Put the item</button>
<output></output>
</form>
<ul class="objects" data-items="${table}" aria-label="The first 50 items of ${table}"></ul>
</article>`;
}

export function createEventForm({ pattern, bus }: Rule): Html {
  const { source, "detail-type": type, detail } = pattern as Record<string, unknown>;
  const first = (value: unknown, fallback: string) => {
    const [text = fallback] = Array.isArray(value) ? value : [];
    return typeof text === "string" ? text : fallback;
  };
  const event = {
    source: first(source, "example"),
    "detail-type": first(type, "Example"),
    detail: detail === undefined ? {} : exampleOf(detail as Record<string, unknown>),
    ...(bus === "default" ? {} : { bus }),
  };
  return markup`
<form data-form="post" data-path="events">
<p>Events that match <code>${JSON.stringify(pattern)}</code></p>
<label>Event of the bus (JSON)
<textarea name="body" rows="6" spellcheck="false">${
    JSON.stringify(event, null, 2)
  }</textarea></label>
<button>Put the event</button>
<output></output>
</form>`;
}

/** Makes an object with the first value of each list in a pattern. Leaves out conditions. */
function exampleOf(pattern: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(pattern).flatMap(([key, value]) => {
      if (!Array.isArray(value)) return [[key, exampleOf(Object(value))]];
      return typeof value[0] === "object" ? [] : [[key, value[0]]];
    }),
  );
}

/** Makes a link to a function URL, with a command. */
export function createUrl(url: string, trigger: NonNullable<ApplicationFunction["url"]>): Html {
  return markup`
<ul class="routes"><li><span class="method">URL</span> <a href="${url}">${url}</a>
${copyable(urlCommand(url, trigger))}</li></ul>`;
}
