// The map of the application, with what has happened at each place.
import { byId } from "./make.js";
import { tokensOf } from "./spans.js";

/** The time between two counts, in milliseconds. */
const PERIOD = 300;

/** Keeps the numbers of the map. */
export function createMap(spans) {
  const counts = [...document.querySelectorAll("#map [data-count]")];
  const chosen = byId("map-of");
  let timer;

  chosen?.addEventListener("change", () => {
    for (const picture of document.querySelectorAll("#map [data-of]")) {
      picture.toggleAttribute("hidden", picture.dataset.of !== chosen.value);
    }
  });

  function count() {
    timer = undefined;
    if (byId("map").hidden) return;
    const known = new Map();
    for (const span of spans.all()) {
      for (const token of tokensOf(span)) {
        const [all, failed] = known.get(token) ?? [0, 0];
        // A place fails with a call of it; that a function fails is shown at the function.
        const isFailure = span.status === "failed" &&
          (span.type !== "invocation" || token.startsWith("function:"));
        known.set(token, [all + 1, failed + (isFailure ? 1 : 0)]);
      }
    }
    for (const text of counts) {
      const [all, failed] = known.get(text.dataset.count) ?? [0, 0];
      const shown = all === 0 ? "" : failed === 0 ? `${all}` : `${failed}/${all} failed`;
      if (text.textContent === shown) continue;
      text.textContent = shown;
      text.closest("a").classList.toggle("is-failed", failed > 0);
    }
  }

  const countSoon = () => timer ??= setTimeout(count, PERIOD);
  spans.follow(countSoon);
  return { count };
}
