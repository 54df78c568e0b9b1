import type { Application } from "../../application/types.ts";
import { type Html, markup } from "./forms.ts";
import { type Graph, graphOf, neighbourhood, type Place } from "./graph.ts";
import { layersOf, type Path, type Slot } from "./layers.ts";

/** The largest number of functions of one picture. With more, a picture has one function and what is near. */
const MOST = 12;

/** The sizes of the picture, in pixels. */
const WIDTH = 132;
const HEIGHT = 44;
const GAP = 32;
const LINE = 62;
const MARGIN = 14;

/** The most characters of a name in a box. */
const LETTERS = 14;

const TITLES: Readonly<Record<string, string>> = { gateway: "HTTP", url: "URL" };

/** Makes the map of the application: its places, and what leads from one to another. The script adds the numbers. */
export function createMap(application: Application): Html {
  const graph = graphOf(application);
  const names = Object.keys(application.functions);
  const legend = markup`
<p class="legend muted small">An arrow calls or writes, a dashed line reads. The number of a place
counts its requests, runs or calls. A click on a place shows its traces.</p>`;
  if (names.length <= MOST) return markup`${draw(graph, application.name)}${legend}`;
  const pictures = names.map((name, index) => {
    const near = draw(neighbourhood(graph, `function:${name}`), name);
    const hidden = index === 0 ? [] : markup` hidden`;
    return markup`<div data-of="${name}"${hidden}>${near}</div>`;
  });
  return markup`
<p class="toolbar"><label>What is near <select id="map-of">
${names.map((name) => markup`<option>${name}</option>`)}
</select></label></p>
${pictures}${legend}`;
}

function draw(graph: Graph, title: string): Html {
  const { slots, paths, columns, rows } = layersOf(graph);
  const hasBack = paths.some(({ isBack }) => isBack);
  const width = 2 * MARGIN + columns * WIDTH + (columns - 1) * GAP;
  const height = 2 * MARGIN + (rows - 1) * LINE + HEIGHT + (hasBack ? 20 : 0);
  return markup`
<svg class="map" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group"
 aria-label="Map of ${title}">
<defs><marker id="arrow-${title}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
 orient="auto-start-reverse"><path d="M0 0 8 4 0 8Z" /></marker></defs>
${paths.map((path) => drawPath(path, title))}
${graph.places.map((place) => drawPlace(place, slots.get(place.id)!))}
</svg>`;
}

const leftOf = ({ column }: Slot) => MARGIN + column * (WIDTH + GAP);
const middleOf = ({ row }: Slot) => MARGIN + row * LINE + HEIGHT / 2;

function drawPath({ slots, isRead, isBack, from, to }: Path, title: string): Html {
  const [first, ...others] = slots as [Slot, ...Slot[]];
  const steps: string[] = [];
  if (isBack) {
    const [last] = others as [Slot];
    const low = Math.max(middleOf(first), middleOf(last)) + HEIGHT / 2 + 18;
    const [x1, x2] = [leftOf(first) + WIDTH / 2, leftOf(last) + WIDTH / 2];
    const [y1, y2] = [middleOf(first) + HEIGHT / 2, middleOf(last) + HEIGHT / 2 + 2];
    steps.push(`M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}`);
  } else {
    steps.push(`M${leftOf(first) + WIDTH} ${middleOf(first)}`);
    let y = middleOf(first);
    for (const [index, slot] of others.entries()) {
      const isLast = index === others.length - 1;
      const [x, next] = [leftOf(slot), middleOf(slot)];
      steps.push(`C${x - GAP / 2} ${y} ${x - GAP / 2} ${next} ${isLast ? x - 2 : x} ${next}`);
      if (!isLast) steps.push(`H${x + WIDTH}`);
      y = next;
    }
  }
  const arrow = isRead ? [] : markup` marker-end="url(#arrow-${title})"`;
  return markup`<path class="way${isRead ? " read" : ""}" d="${
    steps.join("")
  }" data-way="${from} ${to}"${arrow} />
`;
}

function drawPlace({ id, kind, name }: Place, slot: Slot): Html {
  const [x, y] = [leftOf(slot), middleOf(slot) - HEIGHT / 2];
  const shown = name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name;
  return markup`
<a class="place ${kind}" href="#traces/of/${encodeURIComponent(id)}">
<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="7" />
<rect class="mark" x="${x + 8}" y="${y + 9}" width="4" height="${HEIGHT - 18}" rx="2" />
<text class="kind" x="${x + 20}" y="${y + 17}">${TITLES[kind] ?? kind}</text>
<text class="name" x="${x + 20}" y="${y + 33}">${shown}${
    shown === name ? [] : markup`<title>${name}</title>`
  }</text>
<text class="count" x="${x + WIDTH - 8}" y="${y + 17}" data-count="${id}"></text>
</a>`;
}
