import { loggerState } from "./state.ts";
import { cutText, nameOf, readProperty, textOf } from "./text.ts";

/** The parts of an error, named as in the log of AWS Lambda. */
export interface ErrorDescription {
  errorType: string;
  errorMessage: string;
  stackTrace: readonly string[];
  cause?: unknown;
  /** The other properties, such as `code`, `status` and the `errors` of an `AggregateError`. */
  data?: Record<string, unknown>;
}

// A stack repeats the message, which may have megabytes.
const MAX_STACK = 1_048_576;
const PARTS = ["name", "message", "stack", "cause"];
/** Properties of `AggregateError` and `SuppressedError`, which are not enumerable. */
const UNLISTED = ["errors", "suppressed", "error"];

/** Tells whether a value is an error, or has the message and the stack of an error, as an error of another realm has. */
export function isError(value: unknown): value is Error {
  try {
    if (value instanceof Error) return true;
    const { message, stack } = value as Partial<Error>;
    return typeof message === "string" && typeof stack === "string";
  } catch {
    return false; // null, undefined, or a proxy that throws
  }
}

/** Takes an error apart. A part that cannot be read is replaced with the reason. */
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

/** The name of an error. If the error has the name `Error`, the name of its class. */
function typeOf(error: Error): string {
  const name = readProperty(error, "name") || "Error";
  return textOf(name === "Error" ? nameOf(readProperty(error, "constructor"), name) : name);
}

function furtherProperties(error: Error): [string, unknown][] {
  return [...UNLISTED, ...Object.keys(error)]
    .filter((name) => Object.hasOwn(error, name) && !PARTS.includes(name))
    .map((name) => [name, readProperty(error, name)]);
}
