/**
 * The tool with the commands that deploy, and no others. `examples/deploy.sh` runs it, so that no packages but those of the
 * deployment run beside the keys of the cloud. `deploy/deno.lock` pins them.
 *
 * @module
 */
import { deployCommand, undeployCommand } from "./commands/deploy.ts";
import { runTool } from "./run_tool.ts";

if (import.meta.main) Deno.exit(await runTool([deployCommand, undeployCommand], Deno.args));
