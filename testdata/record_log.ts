/** Records what the logger writes, for tests. */
import { loggerState } from "../logger/state.ts";

/** One record, in the logger's JSON format. */
export interface Entry {
  level: string;
  requestId: string;
  message: string;
  [key: string]: unknown;
}

/** Runs a function, and says what it logged. */
export async function recordLog<T>(
  run: () => T | Promise<T>,
): Promise<{ result: T; log: Entry[] }> {
  const state = loggerState();
  const before = { ...state };
  const lines: string[] = [];
  Object.assign(state, {
    format: "json",
    level: "DEBUG",
    write: (line: string) => lines.push(line),
  });
  try {
    const result = await run();
    return { result, log: lines.map((line) => JSON.parse(line)) };
  } finally {
    for (const key of ["format", "level", "write"] as const) {
      if (before[key] === undefined) delete state[key];
      else Object.assign(state, { [key]: before[key] });
    }
  }
}
