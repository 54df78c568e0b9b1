import { loggerState } from "./state.ts";
import { cutText, readProperty, textOf } from "./text.ts";

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
  data?: unknown;
}

// A stack repeats the message, which may have megabytes.
const MAX_STACK = 1024 * 1024;
const PARTS = new Set(["name", "message", "stack", "cause"]);
/** Properties of `AggregateError` and `SuppressedError`, which are not enumerable. */
const UNLISTED = ["errors", "suppressed", "error"];

/** Says if a value is an error, also of another realm, or has the message and the stack of an error. */
export function isError(value: unknown): value is Error {
  try {
    if (value instanceof Error) return true;
    if (typeof value !== "object" || value === null) return false;
    if (Object.prototype.toString.call(value) === "[object Error]") return true;
    const { message, stack } = value as Partial<Error>;
    return typeof message === "string" && typeof stack === "string";
  } catch {
    return false; // a proxy or a getter throws
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
  if (data !== undefined) description.data = data;
  return description;
}

/** The name of an error. If the error's class sets no name, the name of the class. */
function typeOf(error: Error): string {
  const name = textOf(readProperty(error, "name") || "Error");
  if (name !== "Error") return name;
  const constructor = readProperty(error, "constructor");
  return typeof constructor === "function" && textOf(readProperty(constructor, "name")) || name;
}

function furtherProperties(error: Error): unknown {
  try {
    const unlisted = UNLISTED.filter((name) => Object.hasOwn(error, name));
    const names = [...new Set([...unlisted, ...Object.keys(error)])].filter((it) => !PARTS.has(it));
    if (names.length === 0) return undefined;
    return Object.fromEntries(names.map((name) => [name, readProperty(error, name)]));
  } catch (thrown) {
    return `[Unreadable: ${textOf(thrown)}]`; // a proxy throws
  }
}
