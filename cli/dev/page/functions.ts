import type { Application } from "../../application/types.ts";
import { createForm, type Html, markup } from "./forms.ts";
import { createTraceTree } from "./trace_places.ts";
import { triggersOf } from "./triggers.ts";

/**
 * Makes the tab with the forms of each function, beside its newest trace.
 *
 * @param base The URL of the gateway, with the stage.
 */
export function createFunctions(application: Application, base: string): Html {
  const names = Object.keys(application.functions);
  return markup`
<div class="split thirds">
<nav id="functions" class="side" aria-label="Functions">
<ul>${names.map((name) => markup`<li><a href="#try/${name}">${name}</a></li>`)}</ul>
</nav>
<div class="main-of-split" tabindex="0" role="region" aria-label="Function">
${names.map((name) => createCard(application, name, base))}
</div>
<section id="tried" class="main-of-split" aria-labelledby="tried-title">
<h2 id="tried-title">Newest trace</h2>
<p class="empty" id="tried-none">None yet. Send something, and its trace appears here.</p>
<div id="tried-trace" hidden>
${createTraceTree("tried-tree")}
<p><a id="tried-link" href="#traces">Open the trace</a></p>
</div>
</section>
</div>`;
}

function createCard(application: Application, name: string, base: string): Html {
  const { description, memory, timeout, code: { module } } = application.functions[name]!;
  const triggers = triggersOf(application, name, base);
  const addresses = triggers.flatMap(({ address }) => address ?? []);
  return markup`
<article data-function-panel="${name}" aria-labelledby="function-${name}" hidden>
<h2 id="function-${name}">${name}</h2>
<p>${description}</p>
<p class="facts">${memory} MiB · ${timeout} s · <code>${module}</code></p>
${triggers.map(({ form }) => form ? createForm(form) : [])}
${addresses.length > 0 ? markup`<ul class="routes">${addresses}</ul>` : []}
</article>`;
}
