// The script of the start page. It runs in the browser.

/** The largest number of records on the page. */
const shownRecords = 1_000;
const byId = (id) => document.getElementById(id);
const records = byId("log-records");
const filter = byId("log-filter");

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

const fieldsOf = (form) => new FormData(form);
const objectUrl = (bucket, key) =>
  `buckets/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;

const fieldOf = ([, name, value]) => [name, value.trim()];

/** The functions that send a form, by the kind of the form. */
const senders = {
  async request(_form, fields) {
    const lines = String(fields.get("headers")).matchAll(/^([^:\r\n]+):(.*)$/gm);
    const [method, path, body] = ["method", "path", "body"].map((name) => fields.get(name));
    const headers = [["Accept", fields.get("accept")], ...Array.from(lines, fieldOf)];
    const request = JSON.stringify({ method, path, headers, body });
    // The routes have another origin, so only the platform can read their responses.
    const response = await fetch("requests", { method: "POST", body: request });
    if (!response.ok) return response;
    const { body: text, ...init } = await response.json();
    return new Response(text || null, init);
  },
  post({ dataset: { path } }, fields) {
    const group = fields.get("group");
    const query = group === null ? "" : `?group=${encodeURIComponent(String(group))}`;
    return fetch(path + query, { method: "POST", body: String(fields.get("body") ?? "") });
  },
  upload({ dataset: { bucket } }, fields) {
    const file = fields.get("file");
    const url = objectUrl(bucket, String(fields.get("key")) || file.name);
    return fetch(url, { method: "PUT", body: file });
  },
  publish({ dataset: { path } }, fields) {
    const [names, types, values] = ["name", "type", "value"]
      .map((part) => fields.getAll(`attribute-${part}`));
    const form = new URLSearchParams({ message: String(fields.get("message")) });
    const subject = String(fields.get("subject"));
    if (subject !== "") form.set("subject", subject);
    for (const [index, name] of names.entries()) {
      if (name !== "") form.append("attribute", `${name}:${types[index]}:${values[index]}`);
    }
    return fetch(path, { method: "POST", body: form });
  },
};

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector("output");
  const button = form.querySelector("button:not([type])");
  button.disabled = true;
  try {
    const response = await senders[form.dataset.form](form, fieldsOf(form));
    await showResponse(output, response);
    if (form.dataset.bucket) await listObjects(form.dataset.bucket);
    if (form.dataset.queue) await countMessages(form.dataset.queue);
    if (form.dataset.table) await listItems(form.dataset.table);
  } catch (error) {
    const text = `The platform does not answer: ${error}`;
    output.replaceChildren(element("span", text, "failed"));
  }
  button.disabled = false;
});

async function showResponse(output, response) {
  const { status, statusText, headers, ok } = response;
  const hasFailed = headers.has("x-amz-function-error");
  const type = headers.get("content-type") ?? "";
  const line = `${status} ${statusText} ${type}${hasFailed ? " · the function failed" : ""}`;
  output.replaceChildren(element("span", line, hasFailed || !ok ? "failed" : ""));
  let text = await response.text();
  if (text === "") return;
  try {
    if (type.includes("json")) text = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // The text is not JSON. Show it unchanged.
  }
  const content = element("pre", text);
  content.tabIndex = 0;
  output.append(content);
}

async function listObjects(bucket) {
  const { objects } = await (await fetch(`buckets/${bucket}`)).json();
  for (const list of document.querySelectorAll(`[data-objects="${bucket}"]`)) {
    list.replaceChildren(
      ...objects.map((object) => createObject(bucket, object)),
    );
  }
}

async function countMessages(queue) {
  const { visible, invisible, deadLetters } = await (await fetch(`queues/${queue}`)).json();
  for (const place of document.querySelectorAll(`[data-counts="${queue}"]`)) {
    place.textContent =
      `${visible} waiting, ${invisible} in flight or to be retried, ${deadLetters} dead letters`;
  }
}

function createObject(bucket, { key, size }) {
  const item = element("li", "");
  const link = element("a", key);
  link.href = objectUrl(bucket, key);
  const button = element("button", "Delete");
  button.type = "button";
  button.setAttribute("aria-label", `Delete ${key}`);
  button.onclick = async () => {
    await fetch(link.href, { method: "DELETE" });
    await listObjects(bucket);
  };
  item.append(link, element("span", `${size.toLocaleString("en-GB")} bytes`), button);
  return item;
}

async function listItems(table) {
  const { items } = await (await fetch(`tables/${table}`)).json();
  const list = document.querySelector(`[data-items="${table}"]`);
  list.replaceChildren(...items.map(({ key, text }) => {
    const item = element("li", "");
    const button = element("button", "Delete");
    button.type = "button";
    button.setAttribute("aria-label", `Delete ${text}`);
    button.onclick = async () => {
      await fetch(`tables/${table}`, { method: "DELETE", body: JSON.stringify(key) });
      await listItems(table);
    };
    item.append(element("code", text), button);
    return item;
  }));
}

document.addEventListener("click", async ({ target }) => {
  if (!target.matches("button")) return;
  const { copy, add } = target.dataset;
  if (copy !== undefined) {
    await navigator.clipboard.writeText(copy);
    target.textContent = "Copied";
    setTimeout(() => target.textContent = "Copy", 1_500);
  }
  if (add !== undefined) {
    const row = target.previousElementSibling;
    const copyOfRow = row.cloneNode(true);
    for (const input of copyOfRow.querySelectorAll("input")) input.value = "";
    row.after(copyOfRow);
    copyOfRow.querySelector("input").focus();
  }
});

/** Reads the level, the message and the request id of a record. The time has its own column. */
function parseRecord(text) {
  const [all, requestId = "", level = ""] = /^\d{4}-\S+Z\t([^\t]*)\t([A-Z]+)\t/.exec(text) ?? [];
  if (all !== undefined) return { requestId, level, message: text.slice(all.length) };
  try {
    const record = JSON.parse(text);
    if (typeof record.level === "string" && typeof record.message === "string") return record;
  } catch {
    // The record is not JSON.
  }
  return { level: /^ERROR\b/.exec(text)?.[0] ?? "", message: text.replace(/^ERROR /, "") };
}

/** Shows the characters that hide or turn a text. The platform sets the pattern. */
const visible = (text) =>
  text.replaceAll(
    HIDDEN_CHARACTERS,
    (character) => `<U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );

/** Makes an element with the text of a record. A long text is folded. */
function createText(brief, record) {
  const lines = brief.split("\r");
  if (lines.length <= 4 && brief.length <= 300) {
    return element("span", lines.join("\n"), "text");
  }
  const details = element("details", "");
  const first = lines[0].length > 160 ? `${lines[0].slice(0, 160)}…` : lines[0];
  const whole = element("span", record.replaceAll("\r", "\n"), "text");
  details.append(element("summary", first, "text"), whole);
  return details;
}

const isHidden = (name) => filter.value !== "*" && filter.value !== name;
const source = new EventSource("log");
let last = 0;
source.onopen = () => byId("log-state").textContent = "Live";
source.onerror = () => byId("log-state").textContent = "Waiting for the platform…";
source.onmessage = ({ lastEventId, data }) => {
  const number = Number(lastEventId);
  if (number <= last && number > 1) return; // The page has shown this record already.
  last = number;
  const { time, functionName, text } = JSON.parse(data);
  const { level, message, requestId } = parseRecord(text);
  const isError = ["ERROR", "CRITICAL", "FATAL"].includes(level);
  const item = element("li", "", isError ? "error" : level === "WARN" ? "warn" : "");
  item.dataset.function = functionName;
  item.hidden = isHidden(functionName);
  const name = element("span", functionName || "platform", functionName ? "name" : "platform");
  if (requestId) name.title = `Request ${requestId}`;
  const clock = element("time", new Date(time).toLocaleTimeString("en-GB"));
  item.append(clock, name, createText(visible(`${level} ${message}`.trim()), visible(text)));
  records.append(item);
  while (records.childElementCount > shownRecords) records.firstElementChild.remove();
  byId("log-empty").hidden = true;
  const view = byId("log-view");
  if (byId("log-follow").checked) view.scrollTop = view.scrollHeight;
};
filter.onchange = () => {
  for (const item of records.children) {
    item.hidden = isHidden(item.dataset.function);
  }
};
byId("log-clear").onclick = () => {
  records.replaceChildren();
  byId("log-empty").hidden = false;
};
for (const list of document.querySelectorAll("[data-objects]")) {
  void listObjects(list.dataset.objects);
}
for (const list of document.querySelectorAll("[data-items]")) {
  void listItems(list.dataset.items);
  setInterval(listItems, 2_000, list.dataset.items);
}
for (const place of document.querySelectorAll("[data-counts]")) {
  void countMessages(place.dataset.counts);
  setInterval(countMessages, 2_000, place.dataset.counts);
}
