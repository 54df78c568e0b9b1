import type { LoggerState } from "./state.ts";

/** The globals of the runtimes that the logger writes to. */
export interface OutputHost {
  Deno?: { stdout: { isTerminal(): boolean } };
  process?: { stdout?: Stdout };
}

/** The standard output of Node.js and Bun. */
export interface Stdout {
  isTTY?: boolean;
  write(text: string, callback: (error?: Error | null) => void): boolean;
  listenerCount(event: "error"): number;
  once(event: "error", listener: () => void): unknown;
}

/** Writes one record. If the output is closed or full, the record is lost, because nothing else can tell anybody. */
export function write(
  state: LoggerState,
  line: string,
  host: OutputHost = globalThis as OutputHost,
): void {
  try {
    (state.write ??= standardOutput(host))(line);
  } catch {
    // Logging never throws.
  }
}

/** The method before anybody sent the console to the logger. */
const print = console.log;

/**
 * Finds the standard output of this process. On a terminal, the lines of a record end with a line feed, so that a stack
 * can be read; in the log of AWS Lambda a line feed would start another record.
 */
export function standardOutput(
  host: OutputHost = globalThis as OutputHost,
): (line: string) => void {
  // On managed Node.js, `console` adds its own prefix. On Deno, `console` writes a lone string as it is, and to touch
  // `process` costs milliseconds.
  const { Deno: deno } = host;
  const stdout = deno ? undefined : host.process?.stdout;
  const output = stdout
    ? (line: string) => {
      stdout.write(line + "\n", (error) => {
        // An error without a listener would end the process.
        if (error && !stdout.listenerCount("error")) stdout.once("error", () => {});
      });
    }
    : print;
  const isTerminal = deno ? deno.stdout.isTerminal() : stdout?.isTTY;
  return isTerminal ? (line) => output(line.replaceAll("\r", "\n")) : output;
}
