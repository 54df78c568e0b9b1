/**
 * Finds out, before anything is done, whose account the credentials open and what is deployed there.
 *
 * Takes `region=`, `architecture=` and `state=` (the path of a state file; empty for none), and prints
 * account, region, architecture and the number of deployed resources, separated by tabs. What stands in the
 * way is said with its remedy, and ends the process with status 3.
 *
 * @module
 */
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { FetchHttpHandler } from "@smithy/fetch-http-handler";
import { Obstacle } from "./_obstacle.ts";
import { type Deployed, readState } from "./_state.ts";

/** Asks the cloud who we are; the one call that every valid credential may make. */
async function whoAmI(region: string | undefined): Promise<{ account: string; region: string }> {
  const client = new STSClient({
    ...(region && { region }),
    maxAttempts: 2,
    requestHandler: new FetchHttpHandler({ requestTimeout: 15_000 }), // it heeds HTTPS_PROXY
  });
  let known = region ?? "";
  try {
    known = await client.config.region();
    if (!/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(known)) {
      throw new Obstacle(`There is no region "${known}"`, "Regions look like eu-west-1.");
    }
    const { Account } = await client.send(new GetCallerIdentityCommand({}));
    if (!Account) {
      throw new Obstacle("The service did not say whose credentials these are", "Try again.");
    }
    return { account: Account, region: known };
  } catch (error) {
    throw Obstacle.of(error as Error, known);
  } finally {
    client.destroy();
  }
}

/** The region of the environment, in the order of the AWS tools; the profile's comes after. */
function chosenRegion(option: string, deployed: Deployed | undefined): string | undefined {
  return option || Deno.env.get("AWS_REGION") || Deno.env.get("AWS_DEFAULT_REGION") ||
    deployed?.region;
}

async function main(options: Record<string, string>): Promise<string> {
  const deployed = options.state ? await readState(options.state) : undefined;
  const { account, region } = await whoAmI(chosenRegion(options.region ?? "", deployed));
  if (deployed && deployed.account !== account) {
    throw new Obstacle(
      `The deployment belongs to account ${deployed.account}, the credentials to account ${account}`,
      "Use credentials of that account (AWS_PROFILE), or deploy from another copy of the project.",
    );
  }
  if (deployed && deployed.region !== region) {
    throw new Obstacle(
      `The deployment is in ${deployed.region}, not in ${region}`,
      `Pass --region ${deployed.region}; to move it, run examples/undeploy.sh there first.`,
    );
  }
  const architecture = options.architecture || deployed?.architecture || "x86_64";
  return [account, region, architecture, deployed?.resources ?? 0].join("\t");
}

try {
  console.log(
    await main(Object.fromEntries(Deno.args.map((arg) => {
      const [key = "", ...value] = arg.split("=");
      return [key, value.join("=")];
    }))),
  );
} catch (error) {
  if (!(error instanceof Obstacle)) throw error;
  console.error(`\nError: ${error.message}\n${error.remedy}`);
  Deno.exit(3);
}
