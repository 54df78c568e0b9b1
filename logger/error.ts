import { loggerState } from "./state.ts";
import { cutText, nameOf, readProperty, textOf } from "./text.ts";

/** The parts of an error. Their names are those of the platform's log. */
export interface ErrorDescription {
  /** The name of the error's class. */
  errorType: string;
  /** The message. */
  errorMessage: string;
  /** The lines of the stack. */
  stackTrace: readonly string[];
  /** The cause; absent if the error has none. */
  cause?: unknown;
  /** Further properties, such as `code`, `status` and the `errors` of an `AggregateError`; absent if the error has none. */
  data?: Record<string, unknown>;
}

// A stack repeats the message, which may have megabytes.
const MAX_STACK = 1_048_576;
const PARTS = ["name", "message", "stack", "cause"];
/** Properties of `AggregateError` and `SuppressedError`, which are not enumerable. */
const UNLISTED = ["errors", "suppressed", "error"];

/** Says if a value is an error, also of another realm, or has the message and the stack of an error. */
export function isError(value: unknown): value is Error {
  try {
    if (value instanceof Error) return true;
    const { message, stack } = value as Partial<Error>;
    return typeof message === "string" && typeof stack === "string";
  } catch {
    return false; // null, undefined, or a proxy that throws
  }
}

/** Takes an error apart. An unreadable part says why it is unreadable. */
export function describeError(error: Error): ErrorDescription {
  const given = cutText(textOf(readProperty(error, "stack") ?? ""), MAX_STACK);
  const stack = loggerState().mapStack?.(given) ?? given;
  const description: ErrorDescription = {
    errorType: typeOf(error),
    errorMessage: textOf(readProperty(error, "message") ?? ""),
    stackTrace: stack ? stack.split(/\r?\n/) : [],
  };
  const cause = readProperty(error, "cause");
  if (cause !== undefined) description.cause = cause;
  const data = furtherProperties(error);
  if (data.length > 0) description.data = Object.fromEntries(data);
  return description;
}

/** The name of an error. If the error's class sets no name, the name of the class. */
function typeOf(error: Error): string {
  const name = readProperty(error, "name") || "Error";
  return textOf(name === "Error" ? nameOf(readProperty(error, "constructor"), name) : name);
}

function furtherProperties(error: Error): [string, unknown][] {
  return [...UNLISTED, ...Object.keys(error)]
    .filter((name) => Object.hasOwn(error, name) && !PARTS.includes(name))
    .map((name) => [name, readProperty(error, name)]);
}
