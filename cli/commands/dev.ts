import { type Command, defineCommand, MANIFEST, PROFILE, STAGE } from "./command.ts";
import { UsageError } from "../manifest/nearest.ts";

/** `mate dev` */
export const dev: Command = defineCommand({
  name: "dev",
  arguments: ["[MANIFEST]"],
  summary: "Runs an application on this machine, as it would run in the cloud",
  details:
    `MANIFEST is ${MANIFEST} by default. The terminal shows where the application is, then the log. The
start page has a form for each trigger. Functions are reloaded when their files change. Ctrl-C ends the command.`,
  options: {
    stage: STAGE,
    profile: PROFILE,
    port: {
      value: "NUMBER",
      default: "8000",
      description: "The port to listen on; 0 for a free port",
    },
    data: {
      value: "FOLDER",
      description:
        "The folder for the objects of the buckets and the items of the tables (.mate/NAME)",
    },
    time: {
      value: "real|skip",
      default: "real",
      description:
        'With "skip", GET /settled skips retries, visibilities, delays and windows, for tests',
    },
    verbose: {
      description:
        "Show every address, with commands to copy, and the lines START, END and REPORT of each invocation",
    },
    open: { description: "Open the start page in the browser" },
    inspect: {
      value: "FUNCTION",
      description: "Let a debugger attach to this function, as the terminal says",
    },
  },
  async run([manifestPath = MANIFEST], values, surroundings) {
    const { port, data, stage, profile, time, inspect } = values;
    const { verbose: isVerbose, open: isOpened } = values;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      throw new UsageError(`Invalid port "${port}": expected a number from 0 to 65535`);
    }
    if (time !== "real" && time !== "skip") {
      throw new UsageError(`Invalid time "${time}": expected "real" or "skip"`);
    }
    const { detectIsolation } = await import("../lambda/isolation/isolation.ts");
    detectIsolation().catch(() => {}); // It starts programs while the other modules are loaded. The host gets the error.
    const { tryConfinement } = await import("../lambda/isolation/confinement.ts");
    tryConfinement().catch(() => {}); // The same, for the bundler.
    const { begin } = await import("../dev/beginning.ts");
    const { signal } = surroundings;
    const beginning = await begin({ manifestPath, stage, signal });
    const { run } = await import("../dev/run.ts");
    await run(
      {
        manifestPath,
        stage,
        profile,
        port: Number(port),
        data,
        time,
        inspect,
        isVerbose,
        isOpened,
      },
      surroundings,
      beginning,
    );
  },
});
