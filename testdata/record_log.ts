import { captureLog } from "../testing/capture_log.ts";

/** One record of the logger. */
export interface Entry {
  level: string;
  requestId: string;
  message: string;
  [key: string]: unknown;
}

/** Runs a function and captures its records. */
export async function recordLog<T>(
  run: () => T | Promise<T>,
): Promise<{ result: T; log: Entry[] }> {
  const { result, records } = await captureLog(run);
  return { result, log: records as unknown as Entry[] };
}
