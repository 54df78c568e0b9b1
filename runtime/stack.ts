import { readProperty, textOf } from "../logger/error.ts";
import { loggerState } from "../logger/state.ts";

/**
 * Finds the place in a stack at which the frames begin. V8 puts the name and the message in front of the frames. A client
 * may have written the message, so none of its lines counts as a frame.
 */
export function startOfFrames(stack: string, error: Error): number {
  const [name, message] = ["name", "message"].map((key) => textOf(readProperty(error, key) ?? ""));
  // The name may have changed since the engine wrote the stack. The name of no class has a colon.
  const place = stack.startsWith(`${name}: ${message}`)
    ? name!.length + 2
    : stack.indexOf(": ") + 2;
  const text = message || name!; // without a message, the engine writes the name alone
  for (const start of [place, 0]) {
    const end = start + text.length;
    if (text && stack.startsWith(text, start) && /^\r?(\n|$)/.test(stack.slice(end, end + 2))) {
      return (stack.indexOf("\n", end) + 1) || stack.length;
    }
  }
  // The message is another one by now. The frames are the last lines, as far as they look like frames.
  let start = stack.length;
  while (start > 0) {
    const line = stack.lastIndexOf("\n", start - 2) + 1;
    if (!/^[ \t]*at /.test(stack.slice(line, start))) break;
    start = line;
  }
  return start;
}

/** Makes a function that changes only the frames of a stack. */
export function belowMessage(
  map: (frames: string) => string,
): (stack: string, error: Error) => string {
  return (stack, error) => {
    const start = startOfFrames(stack, error);
    return stack.slice(0, start) + map(stack.slice(start));
  };
}

/** The lines of the frames of an error, with positions in the author's sources. */
export function framesOf(error: Error): readonly string[] {
  const stack = textOf(readProperty(error, "stack") ?? "");
  const start = startOfFrames(stack, error);
  try {
    return (loggerState().mapStack?.(stack, error) ?? stack).slice(start).split(/\r?\n/);
  } catch {
    return stack.slice(start).split(/\r?\n/); // a map that makes no sense
  }
}
