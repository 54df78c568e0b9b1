import { printOutputs } from "../deploy/summary.ts";
import { checkLogin } from "./aws.ts";
import { type Command, defineCommand, MANIFEST, UsageError } from "./command.ts";
import { deployPermissions } from "./deploy_permissions.ts";

const DETAILS =
  `MANIFEST is ${MANIFEST} by default. The credentials are those of the AWS tools: a profile (AWS_PROFILE), or
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The region comes from the manifest, or else from AWS_REGION, from the
deployment or from the profile.`;

type Switches = Readonly<
  Record<string, { readonly type: "boolean"; readonly description: string }>
>;

/** `mate deploy` */
export const deployCommand: Command = makeCommand(
  "deploy",
  "Deploys an application to AWS: shows the plan, asks, and prints the URLs",
  {
    json: {
      type: "boolean",
      description: "Print the URLs and names as JSON; the rest goes to the standard error",
    },
  },
);

/** `mate undeploy` */
export const undeployCommand: Command = makeCommand(
  "undeploy",
  "Removes an application from AWS, except buckets that hold objects",
  { "delete-data": { type: "boolean", description: "Delete buckets with the objects in them" } },
);

function makeCommand(name: "deploy" | "undeploy", summary: string, options: Switches): Command {
  return defineCommand<Switches>({
    name,
    arguments: ["[MANIFEST]"],
    summary,
    details: DETAILS,
    options: {
      plan: { type: "boolean", description: "Show the plan, and change nothing" },
      yes: { type: "boolean", description: "Do not ask" },
      ...options,
    },
    async permissions([manifest = MANIFEST], { plan, yes }) {
      checkTerminal(plan || yes);
      await checkLogin(manifest);
      return await deployPermissions(manifest);
    },
    async run(
      [manifest = MANIFEST],
      { plan = false, yes = false, json, "delete-data": deletesData },
      { signal, print, note },
    ) {
      checkTerminal(plan || yes);
      try {
        const module = await import("../deploy/deploy.ts");
        const isDone = await module[name](manifest, {
          isPlanOnly: plan,
          deletesData,
          signal,
          print: (line) => (json ? note : print)(line.replace("module.application.", "")),
          report: (outputs) =>
            json ? print(JSON.stringify(outputs, undefined, 2)) : printOutputs(outputs, print),
          confirm: (question) => yes || confirm(`\n${question}`),
        });
        return isDone || plan;
      } catch (error) {
        if (signal.aborted) note("Interrupted: the next run goes on here");
        throw error;
      }
    },
  });
}

function checkTerminal(asksNothing: boolean | undefined): void {
  if (asksNothing || Deno.stdin.isTerminal()) return;
  throw new UsageError("Cannot ask without a terminal: pass --yes or --plan");
}
