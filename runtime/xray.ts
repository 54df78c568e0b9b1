import type { Failure } from "./failure.ts";

/** The longest value of `Lambda-Runtime-Function-XRay-Error-Cause` that the platform takes, in bytes. */
const MAX = 64 * 1024;

/** A frame: `at label (path:line:column)` or `at path:line:column`. */
const FRAME = /^at (?:async )?(?:(.*) \()?(.*?):(\d+):\d+\)?$/;

/**
 * The value of `Lambda-Runtime-Function-XRay-Error-Cause`: what X-Ray shows of an error, as JSON in ASCII.
 *
 * @param failure What went wrong.
 * @param directory The function's own directory.
 * @returns The value; of an error whose text is too long, with less of it.
 */
export function xrayCause(failure: Failure, directory: string): string {
  const stack = failure.stackTrace.flatMap((frame) => {
    const match = FRAME.exec(frame);
    return match ? [{ path: match[2]!, line: Number(match[3]), label: match[1] ?? "" }] : [];
  });
  const render = (length: number, depth: number) => {
    const frames = stack.slice(0, depth);
    return toAscii(JSON.stringify({
      working_directory: directory.slice(0, length),
      exceptions: [{
        type: failure.errorType,
        message: failure.errorMessage.slice(0, length),
        stack: frames,
      }],
      paths: [...new Set(frames.map(({ path }) => path))],
    }));
  };
  const whole = render(Infinity, Infinity);
  if (whole.length <= MAX) return whole;
  const less = render(4_000, 10);
  return less.length <= MAX ? less : render(1_000, 0); // a character takes six bytes at most
}

/** JSON without anything a field could not hold: what is not ASCII, and DEL, as escapes. */
function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (character) => {
    return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
  });
}
