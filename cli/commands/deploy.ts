import { UsageError } from "../arguments.ts";
import { printOutputs } from "../deploy/summary.ts";
import { type Command, defineCommand, MANIFEST, type Surroundings } from "./command.ts";
import type { Permissions } from "../permissions.ts";
import { deployPermissions } from "./deploy_permissions.ts";
import { checkLogin } from "./login.ts";

const DETAILS =
  `MANIFEST is ${MANIFEST} by default. The credentials are those of the AWS tools: a profile (AWS_PROFILE), or
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The region is that of the manifest, or else AWS_REGION, or else that of the
deployment, or else that of the profile.`;

const OPTIONS = {
  plan: { type: "boolean", description: "Show the plan, and change nothing" },
  yes: { type: "boolean", description: "Do not ask" },
} as const;

/** `mate deploy` */
export const deployCommand: Command = defineCommand({
  name: "deploy",
  arguments: ["[MANIFEST]"],
  summary: "Deploys an application to AWS: shows the plan, asks, and prints the URLs",
  details: DETAILS,
  options: {
    ...OPTIONS,
    json: {
      type: "boolean",
      description: "Print the URLs and names as JSON; the rest goes to the standard error",
    },
  },
  permissions: ([manifest = MANIFEST], values) => prepare(manifest, values),
  run: ([manifest = MANIFEST], values, surroundings) =>
    runWith("deploy", manifest, values, surroundings),
});

/** `mate undeploy` */
export const undeployCommand: Command = defineCommand({
  name: "undeploy",
  arguments: ["[MANIFEST]"],
  summary: "Removes an application from AWS, except buckets that hold objects",
  details: DETAILS,
  options: {
    ...OPTIONS,
    "delete-data": { type: "boolean", description: "Delete buckets with the objects in them" },
  },
  permissions: ([manifest = MANIFEST], values) => prepare(manifest, values),
  run: ([manifest = MANIFEST], { "delete-data": deletesData, ...values }, surroundings) =>
    runWith("undeploy", manifest, { ...values, deletesData }, surroundings),
});

/** Refuses what is certain to fail before anything is fetched. */
async function prepare(manifest: string, values: Questions): Promise<Permissions> {
  checkTerminal(values);
  await checkLogin(manifest);
  return await deployPermissions(manifest);
}

type Questions = Readonly<Record<"plan" | "yes", boolean>>;

function checkTerminal({ plan, yes }: Questions): void {
  if (yes || plan || Deno.stdin.isTerminal()) return;
  throw new UsageError("Cannot ask without a terminal: pass --yes or --plan");
}

async function runWith(
  act: "deploy" | "undeploy",
  manifest: string,
  { plan, yes, json, deletesData }: {
    plan: boolean;
    yes: boolean;
    json?: boolean;
    deletesData?: boolean;
  },
  { signal, print, note }: Surroundings,
): Promise<boolean> {
  checkTerminal({ plan, yes });
  try {
    const module = await import("../deploy/deploy.ts");
    const isDone = await module[act](manifest, {
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
}
