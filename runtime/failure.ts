import { describeError, isError } from "../logger/error.ts";
import { renderJson } from "../logger/render.ts";
import { textOf } from "../logger/text.ts";

/** What went wrong, as the platform records it. */
export interface Failure {
  /** The name of the error, or the type of what was thrown instead. */
  readonly errorType: string;
  /** Its message. */
  readonly errorMessage: string;
  /** The frames of its stack, the innermost first. */
  readonly stackTrace: readonly string[];
}

/** An error that the runtime itself found; its name is the type the platform records, such as `Runtime.HandlerNotFound`. */
export class RuntimeFailure extends Error {
  constructor(type: `Runtime.${string}`, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = type;
  }
}

const MAX_MESSAGE = 32 * 1024;
const MAX_FRAMES = 100;
const MAX_FRAME = 1_000;
const COLOUR = new RegExp("\u001b\\[[\\d;]*m", "g"); // Deno's errors come in colour

/** Describes what was thrown, whatever it is, as the log does; never throws itself. */
export function describeFailure(thrown: unknown): Failure {
  if (isErrorLike(thrown)) {
    const { errorType, errorMessage, stackTrace } = describeError(thrown);
    return failure(errorType, errorMessage, stackTrace);
  }
  if (thrown === null) return failure("null", "null", []);
  return failure(
    typeof thrown,
    typeof thrown === "object" ? renderJson(thrown) : textOf(thrown),
    [],
  );
}

/** Whether a value is an error, or has at least the name and the message of one. */
function isErrorLike(value: unknown): value is Error {
  if (isError(value)) return true;
  try {
    const { name, message } = value as Partial<Error>;
    return typeof value === "object" && typeof name === "string" && typeof message === "string";
  } catch {
    return false; // null, undefined, or what throws when it is read
  }
}

function failure(errorType: string, message: string, stack: readonly string[]): Failure {
  const stackTrace: string[] = [];
  for (const line of stack) {
    if (stackTrace.length === MAX_FRAMES) break;
    // The lines before the frames repeat the message.
    if (/^\s*at /.test(line)) stackTrace.push(clip(line.trim(), MAX_FRAME).replace(COLOUR, ""));
  }
  return {
    errorType: clip(errorType, 256),
    errorMessage: clip(message, MAX_MESSAGE).replace(COLOUR, ""),
    stackTrace,
  };
}

function clip(text: string, length: number): string {
  return text.length > length ? text.slice(0, length) + "…" : text;
}

/**
 * The value of `Lambda-Runtime-Function-Error-Type`: `Function.` or `Runtime.` and a word of letters, for the platform
 * records anything else as unknown.
 */
export function errorTypeField(errorType: string): string {
  if (/^(Function|Runtime)\.[A-Z][a-zA-Z]+$/.test(errorType)) return errorType;
  return /^[A-Z][a-zA-Z]+$/.test(errorType) ? `Function.${errorType}` : "Function.Unknown";
}
