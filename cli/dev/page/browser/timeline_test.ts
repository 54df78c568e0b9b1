import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { labelsOf, makeTimeline } from "./timeline.js";
import { showDuration } from "./units.js";

const span = (start: number, end?: number) => ({ start, end });

Deno.test("makeTimeline() cuts the pauses, and keeps one scale for everything that runs", () => {
  const { place, cuts, scale } = makeTimeline(
    [span(0, 1_000), span(500, 1_500), span(11_500, 11_515), span(20_000, 20_020)],
    0,
  );
  assertEquals(cuts.map(({ pause }) => pause), [10_000, 8_485]);
  const close = (a: number, b: number) => assertEquals(Math.abs(a - b) < 1e-9, true, `${a} ${b}`);
  close(place(0), 0);
  close(place(20_020), 1);
  close(place(11_515) - place(11_500), 15 * scale);
  close(place(1_000) - place(0), 1_000 * scale);
  close(place(6_000), place(1_500)); // A time in a pause is at its begin.
});

Deno.test("makeTimeline() keeps short pauses, and takes the time of now for a span that runs", () => {
  assertEquals(makeTimeline([span(0, 10), span(90, 100)], 0).cuts, []);
  assertEquals(makeTimeline([span(0, 1_000), span(1_150, 2_000)], 0).cuts, []);
  const { place } = makeTimeline([span(0), span(50, 60)], 100);
  assertEquals([place(0), place(50), place(100)], [0, 0.5, 1]);
});

const spans = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 1e5 }))
    .map(([start, length]) => span(start, start + length)),
  { minLength: 1, maxLength: 30 },
);

Deno.test("the times of a timeline keep their order, and no label covers another", () => {
  fc.assert(fc.property(spans, fc.integer({ min: 100, max: 2_000 }), (all, width) => {
    const line = makeTimeline(all, 0);
    const times = all.flatMap(({ start, end }) => [start, end!]).sort((a, b) => a - b);
    const places = times.map(line.place);
    for (const [index, place] of places.entries()) {
      assertEquals(place > -1e-9 && place < 1 + 1e-9, true, `${place} is within the width`);
      assertEquals(index === 0 || place >= places[index - 1]! - 1e-9, true);
    }
    const labels = labelsOf(line, width, showDuration).toSorted((a, b) => a.from - b.from);
    for (const [index, label] of labels.entries()) {
      assertEquals(label.from >= 0 && label.to < 1.001, true, `${label.text} sticks out`);
      assertEquals(index === 0 || labels[index - 1]!.to <= label.from, true, label.text);
    }
  }));
});
