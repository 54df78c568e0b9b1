import { AsyncLocalStorage } from "node:async_hooks";
import { format } from "node:util";
import type { LogRecord } from "../lambda/function_host.ts";
import type { LogTail } from "../lambda/sandbox/log_lines.ts";

/** An invocation that writes to the console. */
export interface Scope {
  readonly functionName: string;
  readonly requestId: string;
  readonly tail: LogTail;
  readonly log: (record: LogRecord) => void;
  isOver: boolean;
}

/** The current invocation. All hosts share it, because a logger may keep a method of the console from an earlier host. */
export const scopes = new AsyncLocalStorage<Scope>();

const LEVELS = { debug: "DEBUG", error: "ERROR", info: "INFO", log: "INFO", warn: "WARN" } as const;

/** The key of the state that all copies of the logger of `@mate/core` in this process share. */
const LOGGER_STATE = Symbol.for("@mate/core/logger/3");

interface LoggerState {
  write?: (line: string) => void;
  store?: AsyncLocalStorage<string>;
  openScopes: number;
}

const { log: print } = console;

export function writeRecord({ functionName, tail, log }: Scope, text: string): void {
  tail.add(text);
  // `log` may write to the console. Such lines are not output of the function.
  scopes.exit(() => log({ time: new Date(), functionName, text }));
}

/** Sends the console output of the functions to the log. Returns a function that undoes this. */
export function captureConsole(): () => void {
  const undo = [captureLogger()];
  for (const [method, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, string][]) {
    const original = console[method];
    const capture = console[method] = (...data: unknown[]) => {
      const scope = scopes.getStore();
      if (scope === undefined || scope.isOver) return original.apply(console, data);
      const text = format(...data).replaceAll(/\r?\n/g, "\r");
      // The lines of the logger of @mate/core have a level already. They are complete.
      const isComplete = /^\{"|^\d{4}-\d\d-\d\dT[^\t]*\t/.test(text);
      const prefix = isComplete
        ? ""
        : `${new Date().toISOString()}\t${scope.requestId}\t${level}\t`;
      writeRecord(scope, prefix + text);
    };
    undo.push(() => {
      if (console[method] === capture) console[method] = original;
    });
  }
  return () => undo.forEach((restore) => restore());
}

/** Sends the records of the logger to the log. A logger that was loaded earlier writes to the original console. */
function captureLogger(): () => void {
  const state = (globalThis as { [LOGGER_STATE]?: LoggerState })[LOGGER_STATE] ??= {
    openScopes: 0,
  };
  state.store ??= new AsyncLocalStorage(); // Even the first invocation may overlap with another.
  const { write: former = printRecord } = state;
  const capture = state.write = (line: string) => {
    const scope = scopes.getStore();
    if (scope === undefined || scope.isOver) former(line);
    else writeRecord(scope, line);
  };
  return () => {
    if (state.write === capture) state.write = former;
  };
}

/** Prints a record that does not come from a function. */
function printRecord(line: string): void {
  print(Deno.stdout.isTerminal() ? line.replaceAll("\r", "\n") : line);
}
