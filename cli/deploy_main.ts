/**
 * The tool with only the commands `deploy` and `undeploy`, for `examples/deploy.sh`. So only packages that a deployment needs
 * run beside the keys of the cloud. `packages.lock.json` pins them.
 *
 * @module
 */
import { deployCommand, undeployCommand } from "./commands/deploy.ts";
import { secretList, secretRemove } from "./commands/secret.ts";
import { runTool } from "./run_tool.ts";

/** The commands, and those that a deployment runs in other processes. */
const COMMANDS = [deployCommand, undeployCommand, secretList, secretRemove];

if (import.meta.main) Deno.exit(await runTool(COMMANDS, Deno.args));
