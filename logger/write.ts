import { loggerState } from "./state.ts";

/** The globals of the runtimes that the logger writes to. */
interface Host {
  Deno?: { stdout: { isTerminal(): boolean } };
  process?: {
    stdout?: {
      isTTY?: boolean;
      write(text: string): boolean;
      on(event: "error", listener: () => void): unknown;
    };
  };
}

/** Writes one record. If the output is closed or full, the record is lost. */
export function write(line: string): void {
  try {
    const state = loggerState();
    (state.write ??= standardOutput())(line);
  } catch {
    // Logging never throws.
  }
}

/** The original method, even if the console is sent to the logger later. */
const print = console.log;

/**
 * Finds the standard output of this process. On a terminal, the lines of a record end with a line feed, so that a person
 * can read a stack. In the log of AWS Lambda, a line feed would start another record.
 */
export function standardOutput(): (line: string) => void {
  const host = globalThis as Host;
  // On managed Node.js, `console` adds a prefix. On Deno, `console` writes a single string as it is, and loading `process`
  // takes milliseconds.
  const { Deno: deno } = host;
  const stdout = deno ? undefined : host.process?.stdout;
  stdout?.on("error", () => {}); // an error without a listener would end the process
  const output = stdout ? (line: string) => void stdout.write(line + "\n") : print;
  const isTerminal = deno ? deno.stdout.isTerminal() : stdout?.isTTY;
  return isTerminal ? (line) => output(line.replaceAll("\r", "\n")) : output;
}
