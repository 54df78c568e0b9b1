// The scale of a waterfall. Times in which nothing runs are cut, so that what runs has room.

/** The part of the width that a cut takes. */
const CUT = 0.06;

/** The shortest pause that is cut, in milliseconds, and in parts of the time in which something runs. */
const SHORTEST = 100;
const SHARE = 0.2;

/**
 * Makes the scale of some spans. One millisecond has the same width everywhere.
 *
 * @param now The end of spans that run.
 */
export function makeTimeline(spans, now) {
  const busy = [];
  for (const { start, end = now } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = busy.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else busy.push({ start, end: Math.max(start, end) });
  }
  const length = (segments) => segments.reduce((sum, { start, end }) => sum + end - start, 0);
  const least = Math.max(SHORTEST, SHARE * length(busy));
  const segments = [];
  for (const { start, end } of busy) {
    const last = segments.at(-1);
    if (last && start - last.end < least) last.end = end;
    else segments.push({ start, end });
  }
  // Many cuts must not take the place of the bars.
  const cut = Math.min(CUT, 0.4 / Math.max(1, segments.length - 1));
  const scale = (1 - cut * (segments.length - 1)) / Math.max(1, length(segments));
  let from = 0;
  for (const segment of segments) {
    segment.from = from;
    from += (segment.end - segment.start) * scale + cut;
  }
  const place = (time) => {
    const segment = segments.findLast(({ start }) => start <= time) ?? segments[0];
    const inside = Math.min(Math.max(time, segment.start), segment.end) - segment.start;
    return segment.from + inside * scale;
  };
  const cuts = segments.slice(1).map((segment, index) => ({
    from: segment.from - cut,
    to: segment.from,
    pause: segment.start - segments[index].end,
  }));
  return { place, cuts, segments, scale };
}

/** Returns a round number of milliseconds: 1, 2 or 5 times a power of ten. */
function roundUp(time) {
  const power = 10 ** Math.floor(Math.log10(Math.max(time, 0.1)));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= time);
}

/**
 * Returns the labels of the axis, of which none covers another. A cut comes before a time.
 *
 * @param width The width of the axis, and `letter` of a letter, in pixels.
 */
export function labelsOf({ segments, cuts, scale }, width, show, letter = 7) {
  const labels = [];
  const add = (at, text, isCut) => {
    const size = (text.length + 1) * letter / width;
    const from = isCut ? Math.max(0, Math.min(at, 1 - size)) : at;
    if (from + size > 1.0001) return;
    if (labels.some((other) => from < other.to && other.from < from + size)) return;
    labels.push({ from, to: from + size, text, isCut });
  };
  for (const { from, pause } of cuts) add(from, `${show(pause)} later`, true);
  const [{ start: zero }] = segments;
  const step = roundUp(12 * letter / width / scale);
  for (const { start, end, from } of segments) {
    for (let time = Math.ceil((start - zero) / step) * step; time <= end - zero; time += step) {
      add(from + (time - start + zero) * scale, time === 0 ? "0" : show(time), false);
    }
  }
  return labels;
}
