import { describeError, isError } from "../logger/error.ts";
import { renderJson } from "../logger/render.ts";
import { cutText, textOf } from "../logger/text.ts";

/** A failure in the form that the platform records. */
export interface Failure {
  /** The name of the error, or the type of another thrown value. */
  readonly errorType: string;
  readonly errorMessage: string;
  /** The frames of the stack. The innermost frame comes first. */
  readonly stackTrace: readonly string[];
}

/** An error of the runtime. The name is the type that the platform records, such as `Runtime.HandlerNotFound`. */
export class RuntimeFailure extends Error {
  constructor(type: `Runtime.${string}`, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = type;
  }
}

const MAX_TYPE = 256;
const MAX_MESSAGE = 32 * 1024;
const MAX_FRAMES = 100;
const MAX_FRAME = 500;

/** Describes any thrown value as the log does. Never throws. */
export function describeFailure(thrown: unknown): Failure {
  if (!isError(thrown)) {
    const isObject = typeof thrown === "object" && thrown !== null;
    return {
      errorType: thrown === null ? "null" : typeof thrown,
      errorMessage: cutText(isObject ? renderJson(thrown) : textOf(thrown), MAX_MESSAGE),
      stackTrace: [],
    };
  }
  const { errorType, errorMessage, stackTrace } = describeError(thrown);
  return {
    errorType: cutText(errorType, MAX_TYPE),
    errorMessage: cutText(errorMessage, MAX_MESSAGE),
    // The lines before the frames repeat the message.
    stackTrace: stackTrace.filter((line) => /^\s*at /.test(line)).slice(0, MAX_FRAMES)
      .map((line) => cutText(line.trim(), MAX_FRAME)),
  };
}

/**
 * Returns the value of the header `Lambda-Runtime-Function-Error-Type`: `Function.` or `Runtime.` and a word of
 * letters. The platform records any other value as unknown.
 */
export function errorTypeField(errorType: string): string {
  if (/^(Function|Runtime)\.[A-Z][a-zA-Z]+$/.test(errorType)) return errorType;
  return /^[A-Z][a-zA-Z]+$/.test(errorType) ? `Function.${errorType}` : "Function.Unknown";
}

/** The longest value of `Lambda-Runtime-Function-XRay-Error-Cause` that the platform accepts, in bytes. */
const MAX_CAUSE = 64 * 1024;

/** A frame: `at label (path:line:column)` or `at path:line:column`. */
const FRAME = /^at (?:async )?(?:(.*) \()?(.*?):(\d+):\d+\)?$/;

/**
 * Returns the value of the header `Lambda-Runtime-Function-XRay-Error-Cause`: the details that AWS X-Ray shows of an
 * error, as JSON in ASCII. If the value would be too long, the message is clipped and frames are left out.
 */
export function xrayCause(failure: Failure, directory: string): string {
  const stack = failure.stackTrace.flatMap((frame) => {
    const match = FRAME.exec(frame);
    return match ? [{ path: match[2]!, line: Number(match[3]), label: match[1] ?? "" }] : [];
  });
  const render = (length: number, depth: number) => {
    const frames = stack.slice(0, depth);
    const message = failure.errorMessage.slice(0, length);
    return toAscii(JSON.stringify({
      working_directory: directory,
      exceptions: [{ type: failure.errorType, message, stack: frames }],
      paths: [...new Set(frames.map(({ path }) => path))],
    }));
  };
  const whole = render(MAX_MESSAGE, MAX_FRAMES);
  return whole.length <= MAX_CAUSE ? whole : render(1_000, 5); // a character takes six bytes at most
}

/** Escapes the characters that must not be in a header: DEL and all characters outside ASCII. */
function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (character) => {
    return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
  });
}
