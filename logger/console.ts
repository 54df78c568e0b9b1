import { isError } from "./error.ts";
import { log } from "./record.ts";
import { renderJson } from "./render.ts";
import { currentFormat, givenLevel, loggerState, type LogLevel } from "./state.ts";
import { textOf } from "./text.ts";
import { standardOutput } from "./write.ts";

type Args = readonly unknown[];

/**
 * Sends the output of `console` through the logger: each call writes one record, as on the managed runtimes of AWS
 * Lambda. In the text format, records of all levels are written until somebody sets a level.
 */
export function captureConsole(): void {
  // Without this line, a copy of the logger that is loaded later would write to this console, in an endless loop.
  loggerState().write ??= standardOutput();
  const record = (level: LogLevel, args: Args) => {
    const [message, ...data] = format(args);
    const least = givenLevel() ?? (currentFormat() === "text" ? "TRACE" : "INFO");
    log(level, message, data, undefined, least);
  };
  const at = (level: LogLevel) => (...args: Args) => record(level, args);
  const labelled = (...label: Args) => label.length > 0 && record("INFO", label);

  const counts = new Map<string, number>();
  const starts = new Map<string, number>();
  const timeLog = (label = "default", ...data: Args) =>
    record("INFO", [`${label}: ${performance.now() - (starts.get(label) ?? NaN)} ms`, ...data]);

  Object.assign(console, {
    trace: at("TRACE"),
    debug: at("DEBUG"),
    log: at("INFO"),
    info: at("INFO"),
    dirxml: at("INFO"),
    warn: at("WARN"),
    error: at("ERROR"),
    dir: (value: unknown) => record("INFO", [value]),
    table: (value: unknown) => record("INFO", [value]),
    assert: (isTrue: unknown, ...args: Args) =>
      isTrue || record("ERROR", ["Assertion failed", ...args]),
    group: labelled,
    groupCollapsed: labelled,
    groupEnd: () => {},
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      record("INFO", [`${label}: ${counts.get(label)}`]);
    },
    countReset: (label = "default") => counts.delete(label),
    time: (label = "default") => starts.set(label, performance.now()),
    timeLog,
    timeEnd: (label = "default") => {
      timeLog(label);
      starts.delete(label);
    },
  });
}

/** If the first argument is a format, fills it. An error stays among the data too, because the record shows its stack. */
function format(args: Args): Args {
  const [first, ...rest] = args;
  if (typeof first !== "string" || rest.length === 0) return args;
  const errors: unknown[] = [];
  const message = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === "%%") return "%";
    if (rest.length === 0) return directive;
    const value = rest.shift();
    if (isError(value)) errors.push(value);
    switch (directive) {
      case "%c": // a style
        return "";
      case "%d":
      case "%i":
      case "%f": {
        const number = typeof value === "bigint" ? value : Number.parseFloat(textOf(value));
        return String(
          directive === "%i" && typeof number === "number" ? Math.trunc(number) : number,
        );
      }
      case "%s":
        if (typeof value !== "object" || isError(value)) return textOf(value);
    }
    return renderJson(value);
  });
  return [message, ...errors, ...rest];
}
