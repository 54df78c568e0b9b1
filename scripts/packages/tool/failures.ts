/** The line of `mate dev` about a request that a function or an authorizer did not answer, and about an event that is given up. */
const FAILURE = /^\S+ platform +(?:\S+ \S+: 50[024], because |Gave up )/;

/** The last line of the introduction of `mate dev`. */
const READY = /^A function is reloaded /;

/** The time after which the lines of the start are shown, in milliseconds. Jest gives up after five seconds. */
const PATIENCE = 4_000;

/**
 * Makes a taker of the lines of `mate dev`. If a line tells of a failure, or the start takes long, it shows the lines since the
 * last failure in the output of the test that runs.
 */
export function tellOfFailures(
  show: (text: string) => void = console.error,
): (line: string) => void {
  let lines: string[] = [];
  let isLate = false;
  const tell = () => {
    if (lines.length > 0) show(lines.join("\n"));
    lines = [];
  };
  const timer = setTimeout(() => {
    isLate = true;
    tell();
  }, PATIENCE);
  timer.unref();
  return (line) => {
    lines.push(line);
    if (READY.test(line)) {
      clearTimeout(timer);
      isLate = false;
      lines = [];
    }
    if (isLate || FAILURE.test(line)) tell();
    if (lines.length > MOST_LINES) lines.shift();
  };
}

/** The number of lines that are kept. */
const MOST_LINES = 200;
