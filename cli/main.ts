/**
 * The tool `mate`: runs, tests, bundles and deploys an application of AWS Lambda functions.
 *
 * ```sh
 * deno run --no-config -RW=. jsr:@mate/cli new shop    # an application with one function and its test
 * deno run --no-config -A jsr:@mate/cli dev         # runs it on this machine
 * deno run --no-config -A jsr:@mate/cli --help      # all commands
 * ```
 *
 * The commands read the manifest `app.json` in the current folder, or the manifest that an argument names. The exit status is
 * 0, 1 if the command failed, 2 if a word of the command line is wrong, and 130, 143 or 129 after SIGINT, SIGTERM or SIGHUP. A
 * second such signal ends the command at once. Colours appear on terminals only.
 *
 * @module
 */
import { bundle } from "./commands/bundle.ts";
import type { Command } from "./commands/command.ts";
import { deployCommand, undeployCommand } from "./commands/deploy.ts";
import { dev } from "./commands/dev.ts";
import { invoke } from "./commands/invoke.ts";
import { logs } from "./commands/logs.ts";
import { newApp } from "./commands/new.ts";
import { openapi } from "./commands/openapi.ts";
import { SENDING } from "./commands/send.ts";
import { secretList, secretRemove, secretSet } from "./commands/secret.ts";
import { schema } from "./commands/schema.ts";
import { runTool } from "./run_tool.ts";

const COMMANDS: readonly Command[] = [
  newApp,
  dev,
  invoke,
  ...SENDING,
  bundle,
  deployCommand,
  undeployCommand,
  logs,
  secretSet,
  secretList,
  secretRemove,
  schema,
  openapi,
];

if (import.meta.main) Deno.exit(await main(Deno.args));

/**
 * Runs the tool.
 *
 * @param args The arguments: a command, its arguments and its options.
 * @returns The exit status.
 *
 * @example Writing the OpenAPI document in a build script
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { main } from "@mate/cli";
 *
 * const file = await Deno.makeTempFile();
 *
 * assertEquals(await main(["openapi", "examples/shop/app.json", "--out", file]), 0);
 * assertEquals(JSON.parse(await Deno.readTextFile(file)).info.title, "shop");
 * ```
 */
export function main(args: readonly string[]): Promise<number> {
  return runTool(COMMANDS, args);
}
