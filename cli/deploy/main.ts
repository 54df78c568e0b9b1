/**
 * Deploys an application to AWS, or removes it again: `main.ts deploy|undeploy [OPTIONS] [MANIFEST]`.
 *
 * The status is 0 if it is done, 1 if it failed or the answer was no, 2 for wrong arguments.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { onInterruption } from "../interruption.ts";
import { deploy, undeploy } from "./deploy.ts";

const HELP = `Usage: deploy [OPTIONS] [MANIFEST]
       undeploy [OPTIONS] [MANIFEST]

Deploys the application of a manifest (app.json) to AWS, or removes it again.

Options:
  --plan           Show what would be done, and change nothing
  --yes            Do not ask
  --delete-data    Delete buckets with the objects in them (undeploy)
  --help           Print this

The credentials are those of the AWS tools: a profile (AWS_PROFILE), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
The region is that of the manifest, else AWS_REGION, else that of what is deployed, else that of the profile.`;

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main([command = "", ...args]: readonly string[]): Promise<number> {
  let parsed;
  try {
    parsed = readArguments(command, args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  if (parsed.help) {
    console.log(HELP);
    return 0;
  }
  using interruption = onInterruption();
  try {
    const run = command === "deploy" ? deploy : undeploy;
    const isDone = await run(parsed.manifest, {
      ...parsed,
      signal: interruption.signal,
      print: (line) => console.log(line.replace("module.application.", "")),
      confirm: (question) => parsed.isApproved || confirm(`\n${question}`),
    });
    return isDone || parsed.isPlanOnly ? 0 : 1;
  } catch (error) {
    console.error(`\nError: ${(error as Error).message}`);
    if (interruption.signal.aborted) console.error("\nInterrupted: the next run goes on here");
    return interruption.signal.aborted ? interruption.status : 1;
  }
}

function readArguments(command: string, args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      plan: { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
      "delete-data": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const help = values.help || command === "--help";
  if (!help && command !== "deploy" && command !== "undeploy") {
    throw new Error(`Unknown command "${command}": expected deploy or undeploy`);
  }
  if (positionals.length > 1) throw new Error(`Unexpected argument "${positionals[1]}"`);
  if (!help && !values.yes && !values.plan && !Deno.stdin.isTerminal()) {
    throw new Error("Cannot ask without a terminal: pass --yes or --plan");
  }
  return {
    help,
    manifest: positionals[0] ?? "app.json",
    isApproved: values.yes,
    isPlanOnly: values.plan,
    deletesData: values["delete-data"],
  };
}
