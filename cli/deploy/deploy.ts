import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { bundleApp } from "../bundle/app.ts";
import { type Manifest, readManifest } from "../manifest/manifest.ts";
import { findTerraform } from "./find_terraform.ts";
import { checkOwner, importsOf, isConflict, withoutAbsent } from "./leftovers.ts";
import { MODULE, type RootModule, writeProviderLock, writeRootModule } from "./root_module.ts";
import { type Deployed, readState, restoreState } from "./state.ts";
import { listResources, type Outputs, type Plan, summarize } from "./summary.ts";
import { checkDestroyable, Terraform, TerraformError } from "./terraform.ts";

/** The address of the log group that claims the name of the application. */
const CLAIM = `${MODULE}.aws_cloudwatch_log_group.application`;

export interface DeployOptions {
  /** Whether to print the whole plan and to change nothing. */
  readonly isPlanOnly?: boolean | undefined;
  /** Whether Terraform may delete buckets that hold objects. */
  readonly deletesData?: boolean | undefined;
  /** Ends the run early: Terraform finishes the requests under way and writes its state. */
  readonly signal: AbortSignal;
  /** Takes a line for the reader: the progress, the summary, the names. */
  readonly print: (line: string) => void;
  readonly report: (outputs: Outputs) => void;
  readonly confirm: (question: string) => boolean;
}

/**
 * Deploys an application to AWS, or updates it: makes the bundles, shows a summary of Terraform's plan, asks, applies the
 * plan, and reports the URLs and names. If a run was killed, the next run completes the deployment.
 *
 * @returns Whether the application is deployed. It is `false` if the user declined, or wanted only the plan.
 */
export async function deploy(manifestPath: string, options: DeployOptions): Promise<boolean> {
  const { print, signal } = options;
  const application = await open(manifestPath, options);
  const { terraform, folder, manifest, deployed } = application;
  print("Making the bundles");
  await bundleApp(manifestPath, {
    out: `${folder}/bundles`,
    architectures: [manifest.architecture],
    signal,
    warn: (message) => print(`Warning: ${message}`),
  });
  print("Comparing with what is deployed");
  const unfinished = `${folder}/unfinished`;
  const wasKilled = deployed.account !== undefined && existsSync(unfinished);
  const plan = wasKilled ? await planWithLeftovers(application) : await makePlan(application);
  const summary = summarize(plan);
  if (options.isPlanOnly) {
    print(await terraform.read("show", "-no-color", "plan"));
    summary.forEach((line) => print(line));
    return false;
  }
  if (summary.length === 0) {
    print("Nothing to do: everything is as the manifest says");
  } else {
    summary.forEach((line) => print(line));
    const place = placeOf(plan);
    if (!options.confirm(`Deploy this to account ${place.account} in ${place.region}?`)) {
      print("Nothing was changed");
      return false;
    }
    if (deployed.account === undefined) {
      await claimName(application, place);
      await makePlan(application); // the first plan is stale now
    }
    await Deno.writeTextFile(unfinished, "");
    await terraform.run(["apply", "plan"], print);
    await Deno.remove(unfinished);
  }
  const { application: { value: outputs } } = JSON.parse(await terraform.read("output", "-json"));
  options.report(outputs);
  return true;
}

/**
 * Removes an application from AWS. Buckets that hold objects stay, with their settings, unless `deletesData` is set.
 *
 * @returns Whether the application is removed. It is `false` if the user declined, or wanted only the list.
 */
export async function undeploy(manifestPath: string, options: DeployOptions): Promise<boolean> {
  const { print, deletesData } = options;
  const application = await open(manifestPath, options);
  const { terraform, deployed } = application;
  if (deployed.resources.length === 0) {
    print("Nothing to do: nothing is deployed");
    return true;
  }
  await application.write({ isDataOnly: true, deletesData });
  if (existsSync(`${dirname(resolve(manifestPath))}/infra`)) await checkDestroyable(terraform);
  const buckets = deployed.resources.filter(({ type }) => type === "aws_s3_bucket");
  const contents = deletesData
    ? "with all objects in the buckets"
    : "except buckets that hold objects";
  print(`Deletes, ${contents}:`);
  listResources(deployed.resources).forEach((line) => print(`  ${line}`));
  if (options.isPlanOnly) return false;
  const { account, region } = deployed;
  if (!options.confirm(`Delete this from account ${account} in ${region}?`)) {
    print("Nothing was changed");
    return false;
  }
  const keepBuckets = () => terraform.run(["apply", "-auto-approve", `-target=${MODULE}`], print);
  if (buckets.length > 0) await keepBuckets();
  try {
    await terraform.run(["apply", "-destroy", "-auto-approve"], print);
    return true;
  } catch (error) {
    const isFull = error instanceof TerraformError &&
      error.diagnostics.every(({ summary, detail }) => /BucketNotEmpty/.test(summary + detail));
    if (!isFull) throw error;
    await keepBuckets(); // restores the settings that Terraform has removed already
    const { resources } = await readState(terraform);
    print("Kept, because it holds objects (--delete-data deletes them):");
    listResources(resources.filter(({ type }) => type === "aws_s3_bucket"))
      .forEach((line) => print(`  ${line}`));
    return true;
  }
}

/** An application whose root module is set up. */
interface Application {
  readonly manifest: Manifest;
  /** The folder of the root module, the bundles and the state. */
  readonly folder: string;
  readonly terraform: Terraform;
  readonly deployed: Deployed;
  /** Writes the root module anew. */
  write(changes: Partial<RootModule>): Promise<void>;
}

async function open(manifestPath: string, { print, signal }: DeployOptions): Promise<Application> {
  const manifest = await readManifest(manifestPath);
  const path = resolve(manifestPath);
  const folder = `${dirname(path)}/.mate/deploy/${basename(path, ".json")}`;
  const program = await findTerraform(print);
  const wanted = manifest.region ?? Deno.env.get("AWS_REGION") ??
    Deno.env.get("AWS_DEFAULT_REGION");
  const start = (region: string | undefined) =>
    new Terraform(program, folder, region ? { AWS_REGION: region } : {}, signal);

  const root: RootModule = {
    manifestPath,
    name: manifest.name,
    state: manifest.state,
    hasInfra: existsSync(`${dirname(path)}/infra`),
  };
  await writeRootModule(folder, root);
  const isTerraform = basename(program) === "terraform"; // OpenTofu has a registry of its own
  if (isTerraform) await writeProviderLock(folder);
  const lock = isTerraform && !root.hasInfra ? ["-lockfile=readonly"] : []; // infra may have providers of its own
  if (!existsSync(`${folder}/.terraform`)) print("Fetching Terraform's provider for AWS");
  await start(wanted).read("init", "-no-color", ...lock);
  await restoreState(folder);
  const deployed = await readState(start(wanted));
  if (wanted && deployed.region && wanted !== deployed.region) {
    throw new Error(
      `Cannot use the region "${wanted}": "${manifest.name}" is deployed in "${deployed.region}"; undeploy it there first`,
    );
  }
  const { account } = deployed;
  return {
    manifest,
    folder,
    terraform: start(wanted ?? deployed.region),
    deployed,
    write: (changes) => writeRootModule(folder, { ...root, account, ...changes }),
  };
}

async function makePlan({ terraform, write }: Application, imports = {}): Promise<Plan> {
  await write({ imports });
  await terraform.run(["plan", "-out=plan"]);
  return JSON.parse(await terraform.read("show", "-json", "plan"));
}

/** Makes a plan that imports the resources that a killed run created, but did not write to the state. */
async function planWithLeftovers(application: Application): Promise<Plan> {
  let imports = importsOf(await makePlan(application));
  for (;;) {
    try {
      const plan = await makePlan(application, imports);
      checkOwner(plan, application.manifest.name);
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
async function claimName(application: Application, place: Place): Promise<void> {
  const { terraform, manifest: { name }, folder } = application;
  try {
    await terraform.run(["apply", "-auto-approve", `-target=${CLAIM}`]);
  } catch (error) {
    if (!(error instanceof TerraformError) || !isConflict(error)) throw error;
    const message =
      `Cannot deploy "${name}": account ${place.account} has an application of this name in ${place.region}, and the state here does not contain it.
Choose another "name", or share the state of the other copy of the project by "state".
If a run of this copy was killed at its start, take the name over by:
  ${terraform.program} -chdir="${folder}" import ${CLAIM} /mate/${name}`;
    throw new Error(message, { cause: error });
  }
}

interface Place {
  readonly account: string;
  readonly region: string;
}

function placeOf(plan: Plan): Place {
  return plan.output_changes!.application!.after as Place;
}
