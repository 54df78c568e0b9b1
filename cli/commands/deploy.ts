import type { SecretStore } from "../deploy/deploy.ts";
import { printOutputs } from "../deploy/summary.ts";
import { visibleText } from "../rules/visible_text.ts";
import { checkLogin } from "./aws.ts";
import {
  type Command,
  defineCommand,
  MANIFEST,
  type Options,
  STAGE,
  type Surroundings,
} from "./command.ts";
import { deployPermissions } from "./deploy_permissions.ts";
import { UsageError } from "../manifest/nearest.ts";

const DETAILS =
  `MANIFEST is ${MANIFEST} by default. The credentials are those of the AWS tools: a profile (AWS_PROFILE), or
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The region comes from the manifest, or else from AWS_REGION, from the
deployment or from the profile.`;

/** `mate deploy` */
export const deployCommand: Command = makeCommand(
  "deploy",
  "Deploys an application to AWS: shows the plan, asks, and prints the URLs",
  "Replace resources that hold data, and delete the data",
  {
    json: { description: "Print the URLs and names as JSON; the rest goes to the standard error" },
  },
);

/** `mate undeploy` */
export const undeployCommand: Command = makeCommand(
  "undeploy",
  "Removes an application from AWS, except tables, secrets, and buckets that hold objects",
  "Delete everything, with the objects in buckets, the secrets and the data of infra",
  {},
);

function makeCommand(
  name: "deploy" | "undeploy",
  summary: string,
  deleteData: string,
  options: Options,
): Command {
  return defineCommand({
    name,
    arguments: ["[MANIFEST]"],
    summary,
    details: DETAILS,
    options: {
      stage: STAGE,
      plan: { description: "Show the plan, and change nothing" },
      yes: { description: "Do not ask" },
      "delete-data": { description: deleteData },
      ...options,
    },
    async permissions([manifest = MANIFEST], { plan, yes, stage }) {
      checkTerminal(plan || yes);
      const { readManifest } = await import("../manifest/manifest.ts");
      await readManifest(manifest, stage);
      await checkLogin(manifest);
      return await deployPermissions(manifest);
    },
    async run(
      [manifest = MANIFEST],
      { stage, plan, yes, "delete-data": deletesData, ...others },
      { signal, print, note, read },
    ) {
      const { json } = others as { json?: boolean };
      checkTerminal(plan || yes);
      try {
        const module = await import("../deploy/deploy.ts");
        const isDone = await module[name](manifest, {
          stage,
          isPlanOnly: plan,
          deletesData,
          secrets: secretStore(manifest, stage, read),
          signal,
          // A plan quotes the manifest, and a warning may quote a function.
          print: (line) =>
            (json ? note : print)(visibleText(line.replace("module.application.", ""))),
          report: (outputs, gateway) =>
            json
              ? print(JSON.stringify(outputs, undefined, 2))
              : printOutputs(outputs, gateway, print),
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

/** Works with secrets by the commands `secret list` and `secret remove`. */
function secretStore(
  manifest: string,
  stage: string | undefined,
  read: Surroundings["read"],
): SecretStore {
  const options = stage === undefined ? [] : ["--stage", stage];
  const run = (region: string, command: string, ...args: string[]) =>
    read(["secret", command, ...args, ...options], { AWS_REGION: region });
  return {
    async list(region) {
      const rows: readonly { name: string; modified?: string }[] = JSON.parse(
        await run(region, "list", manifest, "--json"),
      );
      return rows.filter(({ modified }) => modified !== undefined).map(({ name }) => name);
    },
    async remove(region, name) {
      await run(region, "remove", name, manifest);
    },
  };
}

function checkTerminal(asksNothing: boolean | undefined): void {
  if (asksNothing || Deno.stdin.isTerminal()) return;
  throw new UsageError("Cannot ask without a terminal: pass --yes or --plan");
}
