import type { Application, Table } from "../../application/types.ts";
import { createForm, type Form, type Html, markup, option } from "./forms.ts";
import { itemForm, messageForm, uploadForm } from "./resource_forms.ts";

/** A place with data: the dead letters, or a resource of the manifest. */
interface Place {
  /** Where its data is, relative to the start page. */
  readonly path: string;
  readonly title: string;
  readonly query?: Html;
  readonly form?: Form;
}

/** Makes the tab with the data. The script fills the lists. */
export function createData(application: Application): Html {
  const all = placesOf(application);
  return markup`
<div class="split">
<nav id="data-places" class="side" aria-label="Data">
<ul>${
    all.map(({ path, title }) =>
      markup`<li><a href="#data/${path}">${title}${
        path === "dead-letters" ? markup`<span id="dead-count"></span>` : []
      }</a></li>`
    )
  }</ul>
</nav>
<div class="main-of-split" tabindex="0" role="region" aria-label="Content">
${all.map(createPlace)}
</div>
</div>`;
}

function createPlace({ path, title, query, form }: Place): Html {
  const id = `data-${path.replace("/", "-")}`;
  return markup`
<section data-place="${path}" aria-labelledby="${id}" hidden>
<h2 id="${id}">${title}</h2>
${query ?? []}
${form ? createForm({ ...form, summary: form.button }) : []}
<p class="count muted"></p>
<ul class="entries" aria-label="${title}"></ul>
</section>`;
}

function placesOf({ buckets, tables, queues }: Application): readonly Place[] {
  return [
    { path: "dead-letters", title: "Dead letters" },
    ...Object.keys(buckets).map((name) => {
      const path = `buckets/${name}`;
      const prefix = markup`
<label class="wide">Keys that begin with<input name="prefix" spellcheck="false"></label>`;
      const query = createQuery(path, prefix);
      return { path, title: `Objects of ${name}`, query, form: uploadForm(name) };
    }),
    ...Object.entries(tables).map(([name, table]) => {
      const path = `tables/${name}`;
      const query = createQuery(path, keyFields(table));
      return { path, title: `Items of ${name}`, query, form: itemForm(name, table) };
    }),
    ...Object.entries(queues).map(([name, queue]) => ({
      path: `queues/${name}`,
      title: `Messages of ${name}`,
      form: messageForm(name, queue),
    })),
  ];
}

function createQuery(path: string, fields: Html): Html {
  return markup`
<form data-query="${path}" class="query">
<div class="row">
${fields}
<span class="buttons"><button>Find</button><button type="reset">All</button></span>
</div>
</form>`;
}

/** Makes the fields for a value of the key of a table, or of one of its indexes. */
function keyFields({ key, indexes }: Table): Html {
  const keys = [key, ...Object.values(indexes).map((index) => index.key)];
  const namesAt = (at: number) => [...new Set(keys.flatMap((one) => one[at] ?? []))].join(" or ");
  const index = markup`
<label>By<select name="index"><option value="">the table's key</option>${
    Object.keys(indexes).map(option)
  }</select></label>`;
  const sort = markup`
<label class="wide">Sort key: ${namesAt(1)}<input name="sort" spellcheck="false"></label>`;
  return markup`
${Object.keys(indexes).length > 0 ? index : []}
<label class="wide">Partition key: ${namesAt(0)}<input name="key" spellcheck="false"></label>
${namesAt(1) === "" ? [] : sort}`;
}
