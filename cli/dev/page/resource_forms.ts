import type { Queue, Table } from "../../application/types.ts";
import { type Form, jsonField, markup } from "./forms.ts";

/** Makes the form that puts an object into a bucket. */
export function uploadForm(bucket: string): Form {
  return {
    fields: markup`
<div class="row">
<label class="wide">File<input type="file" name="file" required></label>
<label class="wide">Key
<input name="key" placeholder="the name of the file" spellcheck="false"></label>
</div>`,
    button: "Upload",
    sender: "file",
    path: `buckets/${bucket}`,
  };
}

/** Makes the form that sends a message to a queue. */
export function messageForm(queue: string, { fifo }: Queue): Form {
  const group = markup`
<label>Message group
<input name="group" value="start-page" maxlength="128" required spellcheck="false"></label>`;
  return {
    fields: markup`${fifo ? group : []}
<label>Message of the queue<textarea name="body" rows="2" required></textarea></label>`,
    button: "Send a message",
    path: `queues/${queue}`,
  };
}

/** Makes the form that puts an item into a table. */
export function itemForm(table: string, { key, attributes }: Table): Form {
  const example = key.map((name) => [name, attributes[name] === "N" ? 1 : "example"]);
  return {
    fields: jsonField("Item (JSON)", 3, Object.fromEntries(example)),
    button: "Put an item",
    path: `tables/${table}`,
  };
}
