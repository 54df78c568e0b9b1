// Sends the forms of the functions and the resources.
import { make, makePre } from "./make.js";
import { showText } from "./payload.js";

export const objectUrl = (bucket, key) =>
  `buckets/${encodeURIComponent(bucket)}/${key.split("/").map(encodeURIComponent).join("/")}`;

/** The functions that send the fields of a form, with the header fields of the trace. */
const senders = {
  async request(to, fields, headers) {
    const lines = String(fields.get("headers")).matchAll(/^([^:\r\n]+):(.*)$/gm);
    const { method, path, body, accept } = Object.fromEntries(fields);
    const own = Array.from(lines, ([, name, value]) => [name, value.trim()]);
    const request = { method, path, headers: [["Accept", accept], ...own], body };
    // The routes have another origin, so only the platform can read their responses.
    const response = await fetch(to, { method: "POST", body: JSON.stringify(request), headers });
    if (!response.ok) return response;
    const { body: text, ...init } = await response.json();
    return new Response(text || null, init);
  },
  text(to, fields, headers) {
    const query = fields.has("group") ? `?group=${encodeURIComponent(fields.get("group"))}` : "";
    return fetch(to + query, { method: "POST", body: fields.get("body") ?? "", headers });
  },
  file(to, fields, headers) {
    const file = fields.get("file");
    const key = fields.get("key") || file.name;
    return fetch(objectUrl(to.slice("buckets/".length), key), {
      method: "PUT",
      body: file,
      headers,
    });
  },
  message(to, fields, headers) {
    const [names, types, values] = ["name", "type", "value"]
      .map((part) => fields.getAll(`attribute-${part}`));
    const { message, subject } = Object.fromEntries(fields);
    const form = new URLSearchParams({ message, ...subject && { subject } });
    for (const [index, name] of names.entries()) {
      if (name !== "") form.append("attribute", `${name}:${types[index]}:${values[index]}`);
    }
    return fetch(to, { method: "POST", body: form, headers });
  },
};

/** Makes a trace identifier of 32 digits. The first eight are the time. */
function createTraceId() {
  const random = crypto.getRandomValues(new Uint8Array(12));
  const time = Math.floor(Date.now() / 1_000).toString(16).padStart(8, "0");
  return time + Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function showResponse(output, response) {
  const { status, statusText, headers, ok } = response;
  const hasFailed = headers.has("x-amz-function-error");
  const type = headers.get("content-type") ?? "";
  const line = `${status} ${statusText} ${type}${hasFailed ? " · the function failed" : ""}`;
  output.replaceChildren(make("span", { class: hasFailed || !ok ? "bad" : "" }, line));
  const text = await response.text();
  if (text !== "") output.append(makePre(type.includes("json") ? showText(text) : text, "Answer"));
}

/**
 * Sends the forms of the page.
 *
 * @param sent Learns the trace that a form has begun, and the form.
 */
export function followForms(sent) {
  document.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    if (form.dataset.sender === undefined) return;
    const output = form.querySelector("output");
    const button = form.querySelector("button:not([type])");
    const traceId = createTraceId();
    const root = `Root=1-${traceId.slice(0, 8)}-${traceId.slice(8)}`;
    button.disabled = true;
    try {
      const { sender, path } = form.dataset;
      const fields = new FormData(form);
      sent(traceId, form);
      await showResponse(output, await senders[sender](path, fields, { "X-Amzn-Trace-Id": root }));
      sent(traceId, form);
    } catch (error) {
      output.replaceChildren(
        make("span", { class: "bad" }, `The platform does not answer: ${error}`),
      );
    }
    button.disabled = false;
  });
  document.addEventListener("click", async ({ target }) => {
    if (!target.matches("button")) return;
    const { copy, add } = target.dataset;
    if (copy !== undefined) {
      const name = target.textContent;
      await navigator.clipboard.writeText(copy);
      target.textContent = "Copied";
      setTimeout(() => target.textContent = name, 1_500);
    }
    if (add !== undefined) {
      const row = target.previousElementSibling;
      const copyOfRow = row.cloneNode(true);
      for (const input of copyOfRow.querySelectorAll("input")) input.value = "";
      row.after(copyOfRow);
      copyOfRow.querySelector("input").focus();
    }
  });
}
