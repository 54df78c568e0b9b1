import { type Html, markup } from "./forms.ts";

/** Makes the place of a tree with its waterfall. */
export function createTraceTree(id: string): Html {
  return markup`
<div class="tree-head"><div class="axis" aria-hidden="true"></div></div>
<div id="${id}" class="tree" role="tree" aria-label="Spans of the trace" tabindex="0"></div>`;
}

/**
 * Makes the tab with the traces. The script fills it.
 *
 * @param map The map, which is there while no trace is open.
 */
export function createTraces(map: Html): Html {
  return markup`
<div class="split traces">
<section class="side" aria-labelledby="traces-title">
<h2 id="traces-title" class="unseen">Traces</h2>
<div class="toolbar">
<label class="unseen" for="filter-text">Filter</label>
<input id="filter-text" type="search" placeholder="Filter traces"
 title="A part of a path, a function or an error" spellcheck="false">
<label class="unseen" for="filter-kind">Which traces</label>
<select id="filter-kind">
<option value="all">all</option>
<option value="failed">failed</option>
<option value="slow">slow (1 s)</option>
<option value="cold">cold</option>
</select>
<button type="button" id="traces-delete" title="Delete all traces">Delete all</button>
</div>
<div id="trace-list" class="traces-in-view" role="listbox" aria-label="Traces" tabindex="0"></div>
<p class="empty" id="trace-empty"></p>
<p class="foot muted" id="trace-count" role="status"></p>
</section>
<div class="main-of-split">
<section id="map" aria-label="Map of the application" tabindex="0" role="region">${map}</section>
<div id="trace" hidden>
<p class="back"><a href="#traces">All traces and the map</a></p>
<p class="empty" id="trace-gone" hidden>
Nothing of this trace is here: it has not begun yet, or it is gone.
</p>
${createTraceTree("trace-tree")}
<section id="detail" aria-label="Span" tabindex="0" role="region"></section>
</div>
</div>
</div>`;
}
