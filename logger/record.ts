import { describeError, type ErrorDescription, isError } from "./error.ts";
import { quote, renderJson } from "./render.ts";
import { currentFormat, currentLevel, loggerState } from "./state.ts";
import { write } from "./write.ts";
import { LOG_LEVELS, type LogLevel } from "./level.ts";
import { currentRequestId } from "./request_id.ts";

// A `cause` may be a getter that makes another error each time.
const MAX_CAUSES = 100;

/** Writes one record, if its level is severe enough; never throws. */
export function log(level: LogLevel, message: unknown, data: readonly unknown[]): void {
  try {
    const state = loggerState();
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(currentLevel(state))) return;
    const render = currentFormat(state) === "json" ? jsonRecord : textRecord;
    const time = new Date().toISOString();
    write(state, render(time, currentRequestId(state), level, message, data));
  } catch {
    // Only where not even the stack is left to render with.
  }
}

/** A record as the managed Node.js runtime writes text: four fields between tabs. */
export function textRecord(
  time: string,
  requestId: string,
  level: LogLevel,
  message: unknown,
  data: readonly unknown[],
): string {
  const text = [message, ...data].map(plainText).join(" ");
  // A line feed would start another record in the platform's log.
  return `${time}\t${requestId}\t${level}\t${text}`.replace(/\r?\n/g, "\r");
}

/** A record as one JSON object on one line, which the platform's log takes apart. */
export function jsonRecord(
  time: string,
  requestId: string,
  level: LogLevel,
  message: unknown,
  data: readonly unknown[],
): string {
  const values = [...data];
  let error: ErrorDescription | undefined;
  if (isError(message)) {
    error = describeError(message);
    if (error.data) values.unshift(error.data);
  } else {
    const index = values.findIndex(isError);
    if (index >= 0) {
      error = describeError(values[index] as Error);
      values.splice(index, 1, ...(error.data ? [error.data] : []));
    }
  }
  const text = isError(message) ? quote(error!.errorMessage) : renderJson(message);
  let record = `{"timestamp":"${time}","level":"${level}","requestId":${quote(requestId)}`;
  record += `,"message":${text}`;
  if (values.length > 0) {
    record += `,"data":${renderJson(values.length === 1 ? values[0] : values)}`;
  }
  if (error) {
    record += `,"errorType":${quote(error.errorType)}`;
    record += `,"errorMessage":${quote(error.errorMessage)}`;
    record += `,"stackTrace":${renderJson(error.stackTrace)}`;
    if ("cause" in error) record += `,"cause":${renderJson(error.cause)}`;
  }
  return record + "}";
}

/** Strings as they are, errors by their stacks, all else as JSON. */
function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  if (isError(value)) return errorText(value);
  const json = renderJson(value);
  return json.startsWith('"') ? JSON.parse(json) : json;
}

/** The stack of an error and of all that led to it, each with its further properties. */
function errorText(error: Error): string {
  const seen = new Set<unknown>();
  let text = "";
  for (let current: unknown = error;;) {
    if (seen.has(current)) return `${text}[Circular]`;
    if (seen.size === MAX_CAUSES) return `${text}[…]`;
    seen.add(current);
    if (!isError(current)) return text + plainText(current);
    const { errorType, errorMessage, stackTrace, cause, data } = describeError(current);
    const stack = stackTrace.join("\n");
    // Some runtimes leave the message out of the stack, and it may have changed since.
    const header = stack.includes(errorMessage) && stack !== ""
      ? ""
      : `${errorType}: ${errorMessage}\n`;
    text += `${header}${stack}`.trimEnd();
    if (data) text += ` ${renderJson(data)}`;
    if (cause === undefined) return text;
    text += "\n[cause]: ";
    current = cause;
  }
}
