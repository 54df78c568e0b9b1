// Writes numbers for a reader.

/** Writes milliseconds. */
export function showDuration(time) {
  if (time < 1) return "<1 ms";
  if (time < 999.5) return `${Math.round(time)} ms`;
  if (time < 59_950) return `${Number((time / 1_000).toPrecision(3))} s`;
  const seconds = Math.round(time / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor(seconds % 3_600 / 60)} min`;
}

export const showClock = (time) => new Date(time).toLocaleTimeString("en-GB");

/** Writes a number of bytes. */
export function showSize(bytes) {
  if (bytes < 1_024) return `${bytes} B`;
  const [unit, size] = bytes < 1_048_576 ? ["KiB", 1_024] : ["MiB", 1_048_576];
  return `${Number((bytes / size).toPrecision(3))} ${unit}`;
}

export const showCount = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
