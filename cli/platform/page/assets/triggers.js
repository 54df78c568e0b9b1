// @ts-check
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** @type {Record<string, (form: HTMLFormElement, fields: FormData) => Promise<Response>>} */
const SENDERS = {
  request(_form, fields) {
    const method = String(fields.get("method"));
    const body = String(fields.get("body"));
    return fetch(String(fields.get("path")), {
      method,
      headers: { Accept: String(fields.get("accept")) },
      body: method === "GET" || method === "HEAD" || body === "" ? null : body,
    });
  },
  invoke(form, fields) {
    const path = `/2015-03-31/functions/${form.dataset.function}/invocations`;
    return fetch(path, { method: "POST", body: String(fields.get("event")) });
  },
  schedule(form) {
    return fetch(`/schedules/${form.dataset.function}`, { method: "POST" });
  },
  upload(form, fields) {
    const file = /** @type {File} */ (fields.get("file"));
    const key = String(fields.get("key")) || file.name;
    return fetch(objectUrl(form.dataset.bucket, key), { method: "PUT", body: file });
  },
  publish(form, fields) {
    const names = fields.getAll("attribute-name").map(String);
    const attributes = Object.fromEntries(
      names.map((name, index) => [name, {
        Type: fields.getAll("attribute-type")[index],
        Value: fields.getAll("attribute-value")[index],
      }]).filter(([name]) => name !== ""),
    );
    const message = String(fields.get("message"));
    const subject = String(fields.get("subject")) || null;
    return fetch(`/topics/${form.dataset.topic}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ message, subject, attributes }),
    });
  },
};

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const send = SENDERS[form.dataset.form ?? ""];
  const output = form.querySelector("output");
  const button = form.querySelector("button:not([type])");
  if (!send || !output || !(button instanceof HTMLButtonElement)) return;
  button.disabled = true;
  try {
    const response = await send(form, new FormData(form));
    await show(output, response);
    if (form.dataset.bucket) await listObjects(form.dataset.bucket);
  } catch (error) {
    tell(output, `The platform does not answer: ${error}`, true);
  } finally {
    button.disabled = false;
  }
});

/** @param {HTMLElement} output @param {Response} response */
async function show(output, response) {
  const failed = !response.ok || response.headers.has("x-amz-function-error");
  const failure = response.headers.has("x-amz-function-error") ? " · the function failed" : "";
  const type = response.headers.get("content-type") ?? "";
  const text = await response.text();
  tell(output, `${response.status} ${response.statusText} ${type}${failure}`, failed);
  if (text === "") return;
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.textContent = type.includes("json") ? indent(text) : text;
  output.append(pre);
}

/** @param {string} json */
function indent(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json; // shown as it came
  }
}

/** @param {HTMLElement} output @param {string} text @param {boolean} failed */
function tell(output, text, failed) {
  const line = document.createElement("span");
  line.textContent = text;
  line.className = failed ? "failed" : "";
  output.replaceChildren(line);
}

/** @param {string | undefined} bucket @param {string} key */
function objectUrl(bucket, key) {
  return `/buckets/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/** @param {string} bucket */
async function listObjects(bucket) {
  const { objects } = await (await fetch(`/buckets/${bucket}`)).json();
  for (const list of document.querySelectorAll(`[data-objects="${bucket}"]`)) {
    list.replaceChildren(...objects.map(createObject, bucket));
  }
}

/** @this {string} @param {{ key: string, size: number }} object */
function createObject({ key, size }) {
  const bucket = String(this);
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = objectUrl(bucket, key);
  link.textContent = key;
  const bytes = document.createElement("span");
  bytes.textContent = `${size.toLocaleString("en-GB")} bytes`;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Delete";
  button.setAttribute("aria-label", `Delete ${key}`);
  button.onclick = async () => {
    await fetch(objectUrl(bucket, key), { method: "DELETE" });
    await listObjects(bucket);
  };
  item.append(link, bytes, button);
  return item;
}

for (const list of document.querySelectorAll("[data-objects]")) {
  await listObjects(/** @type {HTMLElement} */ (list).dataset.objects ?? "");
}

document.addEventListener("click", async ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return;
  const { copy, add } = target.dataset;
  if (copy !== undefined) {
    await navigator.clipboard.writeText(copy);
    target.textContent = "Copied";
    setTimeout(() => void (target.textContent = "Copy"), 1_500);
  }
  if (add === "attribute") {
    const row = /** @type {HTMLElement} */ (target.previousElementSibling);
    const copyOfRow = /** @type {HTMLElement} */ (row.cloneNode(true));
    for (const input of copyOfRow.querySelectorAll("input")) input.value = "";
    row.after(copyOfRow);
    copyOfRow.querySelector("input")?.focus();
  }
});
