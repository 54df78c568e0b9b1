import { existsSync } from "node:fs";
import { bundleApplication } from "../bundle/app.ts";
import { refuse } from "../manifest/stages.ts";
import { loopsOf } from "../application/invoking.ts";
import type { Application, Gateway } from "../application/types.ts";
import {
  claimProblem,
  type Deployment,
  openDeployment,
  type OpenOptions,
  type Place,
  placeOf,
} from "./deployment.ts";
import { checkOwner, importsOf, isConflict, withoutAbsent } from "./leftovers.ts";
import {
  holdsData,
  listLosses,
  nameResource,
  type Outputs,
  type Plan,
  type Resource,
  summarize,
} from "./summary.ts";
import { CLAIM, MODULE } from "./root_module.ts";
import { type LostTable, lostTables, unprotect } from "./protection.ts";
import { readState } from "./state.ts";
import { checkDestroyable, TerraformError } from "./terraform.ts";

/** The secrets of a stage in the account. Another process works with them, because a deployment reads no keys of the cloud. */
export interface SecretStore {
  /** Lists the names of the secrets that have a value. */
  list(region: string): Promise<readonly string[]>;
  remove(region: string, name: string): Promise<void>;
}

export interface DeployOptions extends OpenOptions {
  readonly secrets: SecretStore;
  /** Whether data may be deleted: by a replacement, or with buckets that hold objects. */
  readonly deletesData?: boolean | undefined;
  readonly report: (outputs: Outputs, gateway: Gateway | undefined) => void;
}

/**
 * Deploys a stage of an application to AWS, or updates it: makes the bundles, shows a summary of Terraform's plan, asks,
 * applies the plan, and reports the URLs and names. If a run was killed, the next run completes the deployment.
 *
 * @returns Whether the application is deployed. It is `false` if the user declined, or wanted only the plan.
 * @throws {Error} If something is wrong before anything is changed, if the plan would replace something with its data, or if
 * AWS refuses a change.
 */
export async function deploy(manifestPath: string, options: DeployOptions): Promise<boolean> {
  const { print, signal } = options;
  const deployment = await openDeployment(manifestPath, options);
  if (deployment === undefined) return false;
  const { terraform, folder, application, deployed } = deployment;
  const warn = (message: string) => print(`Warning: ${message}`);
  [...plainSecrets(application), ...loopsOf(application)].forEach(warn);
  await checkSecrets(deployment, options);
  print("Making the bundles");
  await bundleApplication(manifestPath, application, {
    out: `${folder}/bundles`,
    signal,
    warn,
  });
  print("Comparing with what is deployed");
  const unfinished = `${folder}/unfinished`;
  const wasKilled = deployed.account !== undefined && existsSync(unfinished);
  const plan = wasKilled ? await planWithLeftovers(deployment) : await makePlan(deployment);
  const { lines, losses, replaced } = summarize(plan);
  if (options.isPlanOnly) print(await terraform.read("show", "-no-color", "plan"));
  (options.isPlanOnly ? losses : lines).forEach((line) => print(line));
  const lost = lostTables(plan);
  const refusal = options.deletesData ? undefined : refusalOf(replaced, lost);
  if (options.isPlanOnly) {
    if (refusal !== undefined) warn(`"mate deploy" will refuse this plan. ${refusal}`);
    return false;
  }
  if (lines.length === 0) {
    print("Nothing to do: everything is as the manifest says");
  } else {
    if (refusal !== undefined) throw new Error(refusal);
    const place = placeOf(plan);
    if (!options.confirm(`Deploy this to account ${place.account} in ${place.region}?`)) {
      print("Nothing was changed");
      return false;
    }
    const isFirst = deployed.account === undefined;
    if (isFirst) await claimName(deployment, place);
    if (lost.length > 0) await unprotect(deployment, lost, print);
    if (isFirst || lost.length > 0) await writePlan(deployment); // the first plan is stale now
    await Deno.writeTextFile(unfinished, "");
    await terraform.run(["apply", "plan"], print);
    await Deno.remove(unfinished);
  }
  const { application: { value: outputs } } = JSON.parse(await terraform.read("output", "-json"));
  options.report(outputs, application.gateway);
  return true;
}

/**
 * Removes a stage of an application from AWS. Buckets that hold objects, tables and secrets stay, with their settings, unless
 * `deletesData` is set.
 *
 * @returns Whether the application is removed. It is `false` if the user declined, or wanted only the list.
 * @throws {Error} If the folder infra has resources that hold data, and `deletesData` is not set.
 */
export async function undeploy(manifestPath: string, options: DeployOptions): Promise<boolean> {
  const { print, deletesData } = options;
  const deployment = await openDeployment(manifestPath, options);
  if (deployment === undefined) return false;
  const { terraform, region, application, deployed: { resources, account } } = deployment;
  // Without secrets in the manifest, nobody needs the right to list them.
  const hasSecrets = deletesData && Object.keys(application.secrets.owners).length > 0;
  const secrets = hasSecrets ? await options.secrets.list(region) : [];
  const removeSecrets = () =>
    Promise.all(secrets.map((name) => options.secrets.remove(region, name)));
  if (resources.length === 0 && secrets.length === 0) {
    print("Nothing to do: nothing is deployed");
    return true;
  }
  await deployment.write({ isDataOnly: true, deletesData });
  if (deployment.hasInfra && resources.length > 0) await checkDestroyable(terraform);
  const contents = deletesData
    ? "with all objects in the buckets, all items in the tables and all secrets"
    : "except buckets that hold objects, tables and secrets";
  print(`Deletes, ${contents}:`);
  // The protection of tables keeps them in any case.
  const isKept = ({ address, type }: Resource) =>
    !deletesData && type === "aws_dynamodb_table" && address.startsWith(`${MODULE}.`);
  listLosses(resources.filter((one) => !isKept(one))).forEach((line) => print(`  ${line}`));
  secrets.forEach((name) => print(`  deletes secret ${application.secrets.path}/${name}`));
  const ownData = resources.filter((one) => /^module\.infra\./.test(one.address) && holdsData(one));
  if (ownData.length > 0 && !deletesData) {
    const names = ownData.map(nameResource).join(", ");
    const addresses = ownData.map(({ address }) => `'${address}'`).join(" ");
    throw new Error(
      `Cannot delete ${names}: it may hold data, so nothing was deleted.
Pass --delete-data to delete it. To keep it in the account, let Terraform forget it, and run "mate undeploy" again:
  ${terraform.program} -chdir="${deployment.folder}" state rm ${addresses}`,
    );
  }
  if (options.isPlanOnly) return false;
  const place = account === undefined ? region : `account ${account} in ${region}`;
  if (!options.confirm(`Delete this from ${place}?`)) {
    print("Nothing was changed");
    return false;
  }
  if (resources.length === 0) {
    await removeSecrets();
    return true;
  }
  const keepData = () => terraform.run(["apply", "-auto-approve", `-target=${MODULE}`], print);
  if (resources.some(({ type }) => KEPT.includes(type))) await keepData();
  try {
    await terraform.run(["apply", "-destroy", "-auto-approve"], print);
    await removeSecrets();
    return true;
  } catch (error) {
    const isFull = error instanceof TerraformError &&
      error.diagnostics.every(({ summary, detail }) =>
        /BucketNotEmpty|protected against deletion|DeletionProtection/.test(summary + detail)
      );
    if (!isFull) throw error;
    const { resources } = await readState(terraform);
    const left = onlyDataOf(resources, application);
    await deployment.write({ isDataOnly: true, deletesData, application: left });
    await keepData(); // restores the settings that Terraform has removed already
    print("Kept, because it holds data (--delete-data deletes it):");
    resources.filter(({ type }) => KEPT.includes(type))
      .forEach((resource) => print(`  ${nameResource(resource)}`));
    return true;
  }
}

/** Says why a plan would delete data; `undefined` if it would not. */
function refusalOf(replaced: readonly Resource[], lost: readonly LostTable[]): string | undefined {
  const namesOf = (all: readonly Resource[]) => all.map(nameResource).join(", ");
  if (replaced.length > 0) {
    return `Cannot replace ${namesOf(replaced)}: the data would be deleted. ` +
      "Save the data first, and pass --delete-data, or undo the change";
  }
  const gone = lost.filter(({ isReplaced }) => !isReplaced);
  if (gone.length === 0) return undefined;
  return `Cannot delete ${namesOf(gone)}: it is protected. ` +
    "Save the data first, and pass --delete-data, or keep the table in the manifest";
}

/** The types that stay if they hold data. */
const KEPT = ["aws_s3_bucket", "aws_dynamodb_table"];

/** The application without the buckets and tables that are deleted, so that Terraform does not create them again. */
function onlyDataOf(resources: readonly Resource[], application: Application): Application {
  const addresses = new Set(resources.map(({ address }) => address));
  const only = <T>(values: Readonly<Record<string, T>>, kind: string) =>
    Object.fromEntries(
      Object.entries(values).filter(([key]) => addresses.has(`${MODULE}.${kind}["${key}"]`)),
    );
  return {
    ...application,
    buckets: only(application.buckets, "aws_s3_bucket.bucket"),
    tables: only(application.tables, "aws_dynamodb_table.table"),
  };
}

/** Refuses to deploy a function whose secret has no value, because the function would not start. */
async function checkSecrets(
  { application: { secrets: { owners }, stage, furtherStage }, region }: Deployment,
  { secrets }: DeployOptions,
): Promise<void> {
  const named = Object.entries(owners);
  if (named.length === 0) return;
  const known = await secrets.list(region);
  const option = furtherStage === undefined ? "" : ` --stage ${stage}`;
  const problems = named.filter(([name]) => !known.includes(name)).map(([name, owners]) => {
    const list = owners.map((owner) => `"${owner}"`).join(", ");
    return `the secret ${name} of ${list} has no value in ${region}: run "mate secret set ${name}${option}"`;
  });
  refuse(problems, "Cannot deploy");
}

/** Says of each variable whose name is that of a secret what to do. */
function plainSecrets({ functions }: Application): string[] {
  const isSecret = /secret|passw(or)?d|token|credential|(api|private)_?key/i;
  return Object.entries(functions).flatMap(([key, { environment }]) =>
    Object.keys(environment).filter((name) => isSecret.test(name)).map((name) =>
      `The variable ${key}.${name} looks like a secret. Terraform's state and Lambda's settings hold it as plain text. ` +
      `Move it from "environment" to "secrets", and run "mate secret set ${name}"`
    )
  );
}

async function writePlan({ terraform, write }: Deployment, imports = {}): Promise<void> {
  await write({ imports });
  await terraform.run(["plan", "-out=plan"]);
}

async function makePlan(deployment: Deployment, imports = {}): Promise<Plan> {
  await writePlan(deployment, imports);
  return JSON.parse(await deployment.terraform.read("show", "-json", "plan"));
}

/** Makes a plan that imports the resources that a killed run created, but did not write to the state. */
async function planWithLeftovers(deployment: Deployment): Promise<Plan> {
  let imports = importsOf(await makePlan(deployment));
  for (;;) {
    try {
      const plan = await makePlan(deployment, imports);
      checkOwner(plan, deployment.application.name);
      return plan;
    } catch (error) {
      if (!(error instanceof TerraformError)) throw error;
      imports = withoutAbsent(imports, error); // Terraform names some absent resources at a time
    }
  }
}

/**
 * Creates only the log group that claims the name of the application. From then on, all resources with this name belong to
 * this state.
 */
async function claimName({ terraform, application }: Deployment, place: Place): Promise<void> {
  try {
    await terraform.run(["apply", "-auto-approve", `-target=${CLAIM}`]);
  } catch (error) {
    if (!(error instanceof TerraformError) || !isConflict(error)) throw error;
    throw new Error(claimProblem(application.name, place), { cause: error });
  }
}
