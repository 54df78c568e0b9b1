import type { JsonValue } from "@mate/core/function";
import { type Content, html } from "./html.ts";

// A page is for looking at: what is longer is read in the JSON answer, and the page stays far below the 6 MB that
// the platform lets through.
const LIMIT = 20_000;
const LINE = 60;
const MAX_PAIRS = 100;

// A string with the colon that makes it a key, a literal, a number. Each token has one way to match, so that time
// is linear; the last string may be cut off.
const TOKEN =
  /("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*/gs;

/** Makes markup of a value: a list of names and values of a flat object, else JSON with its tokens marked. */
export function json(value: JsonValue): Content {
  const text = layOut(value, "");
  const pairs = typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : [];
  const isFlat = pairs.every(([, member]) => typeof member !== "object" || member === null);
  if (pairs.length === 0 || pairs.length > MAX_PAIRS || !isFlat || text.length > LIMIT) {
    return code(text);
  }
  return html`<dl class="pairs">${
    pairs.map(([name, member]) => {
      return html`
        <div>
          <dt>${name}</dt>
          <dd><code>${marked(JSON.stringify(member))}</code></dd>
        </div>
      `;
    })
  }</dl>`;
}

/** Makes markup of JSON; what is very long is cut, and says so. */
export function code(text: string): Content {
  const shown = html`<pre><code>${marked(text.slice(0, LIMIT))}</code></pre>`;
  if (text.length <= LIMIT) return shown;
  const rest = (text.length - LIMIT).toLocaleString("en");
  return [
    shown,
    html`<p class="cut">… and ${rest} more characters: the JSON answer has them all</p>`,
  ];
}

function marked(text: string): Content {
  const parts: Content[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + token.length;
    if (colon !== undefined) parts.push(html`<span class="key">${string!}</span>`, colon);
    else if (string !== undefined) parts.push(html`<span class="string">${string}</span>`);
    else parts.push(html`<span class="literal">${token}</span>`);
  }
  return [...parts, text.slice(end)];
}

/** JSON, indented, with what is short on one line. */
export function layOut(value: JsonValue, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const members = Object.entries(value).map(([key, member]) => {
    const text = layOut(member, inner);
    return isArray ? text : `${JSON.stringify(key)}: ${text}`;
  });
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"];
  const length = members.reduce((sum, member) => sum + member.length + 2, 2);
  if (length <= LINE && !members.some((member) => member.includes("\n"))) {
    const space = isArray || members.length === 0 ? "" : " ";
    return open + space + members.join(", ") + space + close;
  }
  return `${open}\n${members.map((member) => inner + member).join(",\n")}\n${indent}${close}`;
}
