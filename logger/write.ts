import type { LoggerState } from "./state.ts";

/** What is used here of the runtimes' globals. */
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

/** Writes one record; an output that is closed or full loses it, for there is nowhere to say so. */
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

/** As it was at first: many send it to the logger later, for the sake of libraries that write to it. */
const { log } = console;

/** Writes by `console.log()` as it is now; where that leads back here, by what it was at first. */
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
  // The managed Node.js runtime puts a prefix of its own before whatever goes through `console`; on Deno
  // `console` writes a lone string as it is, and `process` would cost milliseconds.
  const stdout = host.Deno === undefined ? host.process?.stdout : undefined;
  if (stdout === undefined) return throughConsole();
  return (line) => {
    stdout.write(line + "\n", (error) => {
      // An error nobody listens for would end the process.
      if (error && stdout.listenerCount("error") === 0) stdout.once("error", () => {});
    });
  };
}
