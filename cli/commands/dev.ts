import { type Command, defineCommand, MANIFEST, STAGE } from "./command.ts";
import { UsageError } from "../manifest/usage_error.ts";

/** `mate dev` */
export const dev: Command = defineCommand({
  name: "dev",
  arguments: ["[MANIFEST]"],
  summary: "Runs an application on this machine, as it would run in the cloud",
  details:
    `MANIFEST is ${MANIFEST} by default. The terminal shows the URLs, then the log. The start page has a
form for each trigger. Functions are reloaded when their files change. Ctrl-C ends the command.`,
  options: {
    stage: STAGE,
    port: {
      type: "string",
      value: "NUMBER",
      default: "8000",
      description: "The port to listen on; 0 for a free port",
    },
    data: {
      type: "string",
      value: "FOLDER",
      description:
        "The folder for the objects of the buckets and the items of the tables (.mate/NAME)",
    },
    "in-process": {
      type: "boolean",
      description:
        'Run the functions in this process, for a debugger ("deno run --inspect-brk" waits for one)',
    },
  },
  async run([manifestPath = MANIFEST], values, surroundings) {
    const { port, data, stage, "in-process": isInProcess } = values;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
      throw new UsageError(`Invalid port "${port}": expected a number from 0 to 65535`);
    }
    const { run } = await import("../platform/run.ts");
    await run({ manifestPath, stage, port: Number(port), data, isInProcess }, surroundings);
    return true;
  },
});
