/**
 * The program `mate` of the npm package `@mate/cli`.
 *
 * @module
 */
import { constants } from "node:os";
import { startTool } from "./deno.ts";

try {
  const tool = startTool(process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => tool.kill(signal)); // the tool ends in order, and then this program
  }
  tool.on("error", fail);
  tool.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal!]));
} catch (error) {
  fail(error as Error);
}

function fail({ message }: Error): void {
  console.error(`Error: ${message}`);
  process.exit(1);
}
