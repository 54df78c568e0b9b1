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

const objectUrl = (bucket, key) => `${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;

/** The functions that send the fields of a form. */
const senders = {
  async request(to, fields) {
    const lines = String(fields.get("headers")).matchAll(/^([^:\r\n]+):(.*)$/gm);
    const { method, path, body, accept } = Object.fromEntries(fields);
    const own = Array.from(lines, ([, name, value]) => [name, value.trim()]);
    const request = { method, path, headers: [["Accept", accept], ...own], body };
    // The routes have another origin, so only the platform can read their responses.
    const response = await fetch(to, { method: "POST", body: JSON.stringify(request) });
    if (!response.ok) return response;
    const { body: text, ...init } = await response.json();
    return new Response(text || null, init);
  },
  text(to, fields) {
    const query = fields.has("group") ? `?group=${encodeURIComponent(fields.get("group"))}` : "";
    return fetch(to + query, { method: "POST", body: fields.get("body") ?? "" });
  },
  file(to, fields) {
    const file = fields.get("file");
    return fetch(objectUrl(to, fields.get("key") || file.name), { method: "PUT", body: file });
  },
  message(to, fields) {
    const [names, types, values] = ["name", "type", "value"]
      .map((part) => fields.getAll(`attribute-${part}`));
    const { message, subject } = Object.fromEntries(fields);
    const form = new URLSearchParams({ message, ...subject && { subject } });
    for (const [index, name] of names.entries()) {
      if (name !== "") form.append("attribute", `${name}:${types[index]}:${values[index]}`);
    }
    return fetch(to, { method: "POST", body: form });
  },
};

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector("output");
  const button = form.querySelector("button:not([type])");
  button.disabled = true;
  try {
    const { sender, path } = form.dataset;
    await showResponse(output, await senders[sender](path, new FormData(form)));
    if (livePaths.has(path)) await refresh(path);
  } catch (error) {
    output.replaceChildren(element("span", `The platform does not answer: ${error}`, "failed"));
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

const livePlaces = [...document.querySelectorAll("[data-live]")];
const livePaths = new Set(livePlaces.map(({ dataset }) => dataset.live));
/** What the platform has said about each path. */
const known = new Map();

/** Shows what is in a queue, a bucket or a table. What has not changed stays, so that it keeps the focus. */
async function refresh(path) {
  const text = await (await fetch(path)).text();
  if (known.get(path) === text) return;
  known.set(path, text);
  const show = views[path.split("/")[0]];
  for (const place of livePlaces.filter(({ dataset }) => dataset.live === path)) {
    place.replaceChildren(...show(JSON.parse(text), path));
  }
}

const views = {
  queues: ({ visible, invisible, deadLetters }) => [
    `${visible} waiting, ${invisible} in flight or to be retried, ${deadLetters} dead letters`,
  ],
  buckets: ({ objects }, path) =>
    objects.map(({ key, size }) => {
      const link = element("a", key);
      link.href = objectUrl(path, key);
      const bytes = element("span", `${size.toLocaleString("en-GB")} bytes`);
      return createItem(path, key, [link, bytes], link.href);
    }),
  tables: ({ items }, path) =>
    items.map(({ key, text }) =>
      createItem(path, text, [element("code", text)], path, JSON.stringify(key))
    ),
};

/** Makes an item of a list, with a button that deletes it. */
function createItem(path, name, parts, url, body) {
  const item = element("li", "");
  const button = element("button", "Delete");
  button.type = "button";
  button.setAttribute("aria-label", `Delete ${name}`);
  button.onclick = async () => {
    await fetch(url, { method: "DELETE", body });
    await refresh(path);
  };
  item.append(...parts, button);
  return item;
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
  for (const item of records.children) item.hidden = isHidden(item.dataset.function);
};
byId("log-clear").onclick = () => {
  records.replaceChildren();
  byId("log-empty").hidden = false;
};
for (const path of livePaths) {
  void refresh(path);
  setInterval(refresh, 2_000, path);
}
