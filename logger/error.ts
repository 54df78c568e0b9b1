import { textOf } from "./text.ts";

/** The parts of an error, by their names in the platform's log. */
export interface ErrorDescription {
  /** The name of its class. */
  errorType: string;
  /** Its message. */
  errorMessage: string;
  /** Its stack, a line an item. */
  stackTrace: readonly string[];
  /** What led to it; absent where nothing did. */
  cause?: unknown;
  /** Its further properties, such as `code`, `status` and the `errors` of an `AggregateError`; absent where it has none. */
  data?: unknown;
}

const PARTS = new Set(["name", "message", "stack", "cause"]);
/** What an `AggregateError` and a `SuppressedError` hold without listing it: other errors. */
const UNLISTED = ["errors", "suppressed", "error"];

/** Whether a value is an error, of this realm or another, or looks like one: has a message and a stack. */
export function isError(value: unknown): value is Error {
  try {
    if (value instanceof Error) return true;
    if (typeof value !== "object" || value === null) return false;
    if (Object.prototype.toString.call(value) === "[object Error]") return true;
    const { message, stack } = value as Partial<Error>;
    return typeof message === "string" && typeof stack === "string";
  } catch {
    return false; // a proxy or a getter that throws: rendered as any object is
  }
}

/** Takes an error apart; what of it cannot be read says so. */
export function describeError(error: Error): ErrorDescription {
  const stack = readable(() => error.stack);
  const description: ErrorDescription = {
    errorType: typeOf(error),
    errorMessage: readable(() => error.message) ?? "",
    stackTrace: stack ? stack.split(/\r?\n/) : [],
  };
  const cause = attempt(() => error.cause);
  if (cause !== undefined) description.cause = cause;
  const data = attempt(() => furtherProperties(error));
  if (data !== undefined) description.data = data;
  return description;
}

/** The name of an error; where its class sets none, that of the class. */
function typeOf(error: Error): string {
  const name = readable(() => error.name) || "Error";
  if (name !== "Error") return name;
  return readable(() => error.constructor.name) || name;
}

function furtherProperties(error: Error): Record<string, unknown> | undefined {
  const names = Object.keys(error).filter((name) => !PARTS.has(name));
  for (const name of UNLISTED) {
    if (Object.hasOwn(error, name) && !names.includes(name)) names.unshift(name);
  }
  // An error of HTTP has it by its class, not as a property of its own.
  if ("status" in error && !names.includes("status")) names.unshift("status");
  if (names.length === 0) return undefined;
  const values = error as unknown as Record<string, unknown>;
  // From entries, for assigning to `__proto__` would set no property.
  return Object.fromEntries(names.map((name) => [name, attempt(() => values[name])]));
}

/** A part that ought to be text. */
function readable(get: () => unknown): string | undefined {
  const part = attempt(get);
  return part === undefined || part === null ? undefined : textOf(part);
}

/** What a getter returns; what it throws, where it throws. */
function attempt(get: () => unknown): unknown {
  try {
    return get();
  } catch (thrown) {
    return `[Unreadable: ${textOf(thrown)}]`;
  }
}
