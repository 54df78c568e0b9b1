import type { LoggerState } from "./state.ts";

/** The globals of the runtimes that the logger writes to. */
export interface OutputHost {
  Deno?: unknown;
  process?: { stdout?: Stdout };
}

/** The standard output of Node.js and Bun. */
export interface Stdout {
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

/** The console before anybody replaced its methods. */
const { log } = console;

/** Writes with today's `console.log()`. If that method calls the logger again, writes with the original method. */
function throughConsole(): (line: string) => void {
  let isWriting = false;
  let leadsBack = false;
  return (line) => {
    leadsBack = isWriting;
    if (isWriting) return;
    isWriting = true;
    try {
      console.log(line);
      if (leadsBack) log(line);
    } finally {
      isWriting = false;
    }
  };
}

function standardOutput(host: OutputHost): (line: string) => void {
  // On managed Node.js, `console` adds its own prefix. On Deno, `console` writes a lone string as it is, and to touch
  // `process` costs milliseconds.
  const stdout = host.Deno === undefined ? host.process?.stdout : undefined;
  if (stdout === undefined) return throughConsole();
  return (line) => {
    stdout.write(line + "\n", (error) => {
      // An error without a listener would end the process.
      if (error && stdout.listenerCount("error") === 0) stdout.once("error", () => {});
    });
  };
}
