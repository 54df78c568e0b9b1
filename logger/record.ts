import { describeError, type ErrorDescription, isError } from "./error.ts";
import { Renderer } from "./render.ts";
import { currentFormat, currentLevel, LOG_LEVELS, loggerState, type LogLevel } from "./state.ts";
import { currentRequestId } from "./request_id.ts";
import { write } from "./write.ts";

// The getter `cause` of an error may return a new error each time.
const MAX_CAUSES = 100;

/** The parts of one record. */
export interface LogRecord {
  readonly time: string;
  readonly requestId: string;
  readonly level: LogLevel;
  readonly message: unknown;
  readonly data: readonly unknown[];
}

/** Writes one record if the level is severe enough. Never throws. */
export function log(level: LogLevel, message: unknown, data: readonly unknown[]): void {
  try {
    const state = loggerState();
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(currentLevel(state))) return;
    const render = currentFormat(state) === "json" ? jsonRecord : textRecord;
    const time = new Date().toISOString();
    write(state, render({ time, requestId: currentRequestId(state), level, message, data }));
  } catch {
    // The stack is exhausted.
  }
}

/** A record as the managed Node.js runtime writes text: four fields between tabs. */
export function textRecord({ time, requestId, level, message, data }: LogRecord): string {
  const renderer = new Renderer();
  const text = copyEach(
    renderer,
    [message, ...data],
    (value, share) =>
      isError(value) ? errorText(value, renderer) : valueText(value, renderer, share),
  ).join(" ");
  // A line feed would start another record in the platform's log.
  return `${time}\t${requestId}\t${level}\t${text}`.replace(/\r?\n/g, "\r");
}

/** A record as one JSON object on one line, as the platform's log reads it. */
export function jsonRecord({ time, requestId, level, message, data }: LogRecord): string {
  const error = [message, ...data].find(isError);
  const { data: further, ...description }: Partial<ErrorDescription> = error
    ? describeError(error)
    : {};
  const values = data.filter((value) => !error || value !== error);
  // The further properties of an error stand in the place of the error.
  if (further) values.splice(Math.max(data.indexOf(error), 0), 0, further);

  const renderer = new Renderer();
  const copy = (value: unknown, share: number) => renderer.plain(value, share);
  const parts = Object.entries({
    ...description,
    message: error && error === message ? description.errorMessage : message,
  });
  const copies = copyEach(renderer, [...parts.map(([, part]) => part), ...values], copy);
  const { message: text, ...errorParts } = Object.fromEntries(
    parts.map(([name], index) => [name, copies[index]!]),
  );
  const rest = copies.slice(parts.length);
  return JSON.stringify({
    timestamp: time,
    level,
    requestId,
    message: text,
    data: rest.length > 1 ? rest : rest[0],
    ...errorParts,
  });
}

/** Copies values until no more fit. Each value but the last takes at most half of the room left. */
function copyEach<T>(
  renderer: Renderer,
  values: readonly unknown[],
  copy: (value: unknown, share: number) => T,
): (T | string)[] {
  const copies: (T | string)[] = [];
  for (const value of values) {
    const more = values.length - copies.length;
    if (renderer.isFull) return [...copies, `[cut: ${more} more values]`];
    copies.push(copy(value, more === 1 ? 1 : 0.5));
  }
  return copies;
}

/** Texts as they are, all other values as JSON. */
function valueText(value: unknown, renderer: Renderer, share: number): string {
  const plain = renderer.plain(value, share);
  return typeof plain === "string" ? plain : JSON.stringify(plain);
}

/** The stacks of an error and of its causes, each with the further properties. */
function errorText(error: Error, renderer: Renderer): string {
  const seen = new Set<unknown>();
  let text = "";
  for (let current: unknown = error;;) {
    if (seen.has(current)) return `${text}[Circular]`;
    if (seen.size === MAX_CAUSES || renderer.isFull) return `${text}[cut: more causes]`;
    if (!isError(current)) return text + valueText(current, renderer, 0.5);
    seen.add(current);
    const { errorType, errorMessage, stackTrace, cause, data } = describeError(current);
    const stack = stackTrace.join("\n");
    // Some runtimes leave the message out of the stack, and the message may have changed since.
    const isComplete = stack !== "" && stack.includes(errorMessage);
    const header = isComplete ? "" : `${errorType}: ${errorMessage}\n`;
    text += renderer.plain(`${header}${stack}`.trimEnd(), 0.5);
    if (data) text += ` ${JSON.stringify(renderer.plain(data, 0.5))}`;
    if (cause === undefined) return text;
    text += "\n[cause]: ";
    current = cause;
  }
}
