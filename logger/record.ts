import { describeError, type ErrorDescription, isError } from "./error.ts";
import { Renderer } from "./render.ts";
import { currentFormat, currentLevel, LOG_LEVELS, type LogLevel } from "./state.ts";
import { currentRequestId } from "./request_id.ts";
import { readProperty, textOf } from "./text.ts";
import { write } from "./write.ts";

// The getter `cause` of an error may return another error each time, without end.
const MAX_CAUSES = 100;

/** The parts of one record. */
export interface LogRecord {
  readonly time: string;
  readonly requestId: string;
  readonly level: LogLevel;
  readonly message: unknown;
  readonly data: readonly unknown[];
  /** The fields of a child logger. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Writes one record if it is at least as severe as the least level. Never throws. */
export function log(
  level: LogLevel,
  message: unknown,
  data: readonly unknown[],
  fields?: LogRecord["fields"],
  least: LogLevel = currentLevel(),
): void {
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
  try {
    const render = currentFormat() === "json" ? jsonRecord : textRecord;
    const time = new Date().toISOString();
    const requestId = currentRequestId();
    write(render({ time, requestId, level, message, data, fields }));
  } catch {
    // The stack is exhausted.
  }
}

/**
 * Writes one record of level FATAL: an error in the function itself. The record has the message
 * `INTERNAL ERROR: <message>.`, the stack and all causes.
 *
 * @param error The thrown value: an error, or any other value.
 * @param message The description of the failure, without a final period. The default is the message of the error.
 *
 * @example Log a caught error
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { logInternalError } from "@mate/core/logger";
 *
 * assertThrows(() => {
 *   try {
 *     JSON.parse("{");
 *   } catch (error) {
 *     logInternalError(error, "The configuration is broken");
 *     throw error;
 *   }
 * }, SyntaxError);
 * ```
 */
export function logInternalError(error: unknown, message?: string): void {
  log("FATAL", `INTERNAL ERROR: ${textOf(message || messageOf(error))}.`, [error]);
}

function messageOf(error: unknown): unknown {
  return isError(error) ? readProperty(error, "message") || error.name : error;
}

/** A record as the managed Node.js runtime writes text: four fields between tabs. */
function textRecord({ time, requestId, level, message, data, fields }: LogRecord): string {
  const renderer = new Renderer();
  let text = plainText(message, renderer);
  for (const value of fields ? [fields, ...data] : data) {
    if (renderer.isFull) {
      text += " [cut: more]";
      break;
    }
    text += ` ${plainText(value, renderer)}`;
  }
  // In the log of AWS Lambda, a line feed would start another record.
  return `${time}\t${requestId}\t${level}\t${text}`.replace(/\r?\n/g, "\r");
}

/** A record as one JSON object on one line, as the platform's log reads it. */
function jsonRecord({ time, requestId, level, message, data, fields }: LogRecord): string {
  const renderer = new Renderer();
  const error = [message, ...data].find(isError);
  const { data: further, ...description } = error ? describeError(error) : {} as ErrorDescription;
  const text = renderer.plain(isError(message) ? description.errorMessage : message);
  const parts = renderer.plain({ ...description });
  const values = [message, ...data].flatMap((value, index) => {
    if (error && value === error) return further ? [further] : [];
    return index > 0 ? [value] : [];
  });
  const added = fields && renderer.plain(fields);
  return JSON.stringify({
    timestamp: time,
    level,
    requestId,
    message: text,
    data: values.length > 0 ? renderer.plain(values.length > 1 ? values : values[0]) : undefined,
    ...parts as object,
    ...added as object,
  });
}

/** Renders a value: a text as it is, an error as its stack and the stacks of its causes, any other value as JSON. */
function plainText(value: unknown, renderer: Renderer, effects: readonly unknown[] = []): string {
  if (!isError(value)) {
    const plain = renderer.plain(value);
    return typeof plain === "string" ? plain : JSON.stringify(plain);
  }
  if (effects.includes(value)) return "[Circular]";
  if (effects.length === MAX_CAUSES) return "[cut: more]";
  const { errorType, errorMessage, stackTrace, cause, data } = describeError(value);
  const stack = stackTrace.join("\n");
  // Some runtimes leave the message out of the stack, and the message may have changed since.
  const isComplete = stack && stack.includes(errorMessage);
  let text = renderer.plain(
    isComplete ? stack : `${errorType}: ${errorMessage}\n${stack}`,
  ) as string;
  if (data) text += ` ${plainText(data, renderer)}`;
  if (cause !== undefined) text += `\n[cause]: ${plainText(cause, renderer, [...effects, value])}`;
  return text;
}
