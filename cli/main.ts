/**
 * The command that runs an application on this machine, as it would run in the cloud: every function in a process of its
 * own, made of the bundle that is deployed, behind an HTTP gateway, the Invoke API, and its other triggers.
 *
 * ```sh
 * deno run -A jsr:@mate/cli app.json
 * ```
 *
 * The argument is the manifest of the application. The terminal shows a URL for everything, then the log; the start page
 * at http://localhost:8000/ has a form for each trigger. Functions are reloaded when their files change. Ctrl-C ends it.
 *
 * | option           | what it sets                                                         | without               |
 * | ---------------- | -------------------------------------------------------------------- | --------------------- |
 * | `--port NUMBER`  | the port on the loopback interface; 0 for any that is free           | 8000                  |
 * | `--data FOLDER`  | the folder for the objects of the buckets                            | `.mate/`, and the application's name |
 * | `--in-process`   | functions run in the command's own process, for a debugger           | each in its own       |
 * | `--help`         | prints this                                                          |                       |
 *
 * The status is 0 after Ctrl-C, SIGTERM and SIGHUP, 1 if the application cannot be started, and 2 for wrong arguments. A
 * later Ctrl-C ends it at once.
 *
 * @module
 */
import { HELP, readArguments, UsageError } from "./arguments.ts";
import { denoProblem } from "./deno_version.ts";
import { onInterruption } from "./interruption.ts";
import { run } from "./platform/run.ts";

if (import.meta.main) {
  Deno.exit(await main(Deno.args));
}

/** Writes a line. The console is not used, because it belongs to the functions that run in this process. */
function write(line: string): void {
  let bytes = new TextEncoder().encode(`${line}\n`);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}

/** Runs the command; its exit status. */
async function main(args: readonly string[]): Promise<number> {
  const problem = denoProblem();
  if (problem !== undefined) {
    console.error(problem);
    return 1;
  }
  try {
    const options = readArguments(args);
    if (options === "help") {
      console.log(HELP.trimEnd());
      return 0;
    }
    using interruption = onInterruption();
    const unread = new AbortController();
    const signal = AbortSignal.any([interruption.signal, unread.signal]);
    const print = (line: string) => {
      try {
        write(line);
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== "EPIPE" && code !== "EIO") throw error;
        unread.abort(); // The reader is gone, as after `head`, or the terminal was closed.
      }
    };
    const isColored = Deno.stdout.isTerminal() && !Deno.noColor;
    await run(options, { signal, print, isColored });
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return error instanceof UsageError ? 2 : 1;
  }
}
