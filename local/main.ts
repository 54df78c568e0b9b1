/**
 * The command that runs an application on this machine: `deno run -A local/main.ts examples/app.json`.
 *
 * @module
 */
import { HELP, readArguments, UsageError } from "./arguments.ts";
import { run } from "./run.ts";

if (import.meta.main) {
  Deno.exit(await main(Deno.args));
}

/** Writes a line; not by the console, which functions that run in this process have for themselves. */
function print(line: string): void {
  let bytes = new TextEncoder().encode(`${line}\n`);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}

/** Runs the command; its exit status. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readArguments(args);
    if (options === "help") {
      console.log(HELP.trimEnd());
      return 0;
    }
    const controller = new AbortController();
    const isWindows = Deno.build.os === "windows";
    for (const signal of isWindows ? ["SIGINT"] as const : ["SIGINT", "SIGTERM"] as const) {
      Deno.addSignalListener(signal, () => {
        if (controller.signal.aborted) Deno.exit(1); // asked twice: not waiting any longer
        controller.abort();
      });
    }
    const isColored = Deno.stdout.isTerminal() && !Deno.noColor;
    await run(options, { signal: controller.signal, print, isColored });
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return error instanceof UsageError ? 2 : 1;
  }
}
