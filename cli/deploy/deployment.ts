import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { checkNames, resolveApplication } from "../application/resolve.ts";
import type { Application } from "../application/types.ts";
import { type Manifest, readManifest } from "../manifest/manifest.ts";
import { lockFileOf } from "../manifest/provider.ts";
import { findTerraform } from "../programs/find_terraform.ts";
import { checkOutputs, readInfra } from "./infra.ts";
import { checkOwnFiles } from "./own_files.ts";
import { providerFor, providerOfState } from "./provider.ts";
import { keepProviderLock, writeProviderLock } from "./provider_lock.ts";
import { DEPLOYED, PLACE, type RootModule, writeRootModule } from "./root_module.ts";
import {
  checkFree,
  type Deployed,
  lastStateOf,
  placeOfState,
  readState,
  restoreState,
} from "./state.ts";
import type { Plan } from "./summary.ts";
import { Terraform } from "./terraform.ts";

export interface OpenOptions {
  /** The stage; by default the stage that the manifest names. */
  readonly stage?: string | undefined;
  /** Ends the run early: Terraform finishes the requests under way and writes its state. */
  readonly signal: AbortSignal;
  /** Takes a line for the reader: the progress, the summary, the names. */
  readonly print: (line: string) => void;
  readonly confirm: (question: string) => boolean;
  /** Whether to print only the plan, and to change nothing. */
  readonly isPlanOnly?: boolean | undefined;
}

/** An application whose root module is set up. */
export interface Deployment {
  readonly application: Application;
  readonly region: string;
  /** The folder of the root module, the bundles and the state. */
  readonly folder: string;
  readonly terraform: Terraform;
  readonly deployed: Deployed;
  readonly hasInfra: boolean;
  /** Writes the root module again, with changes. */
  write(changes: Partial<RootModule>): Promise<void>;
}

/** The account and the region of a deployment, and the names there that begin with the name of the application. */
export interface Place {
  readonly account: string;
  readonly region: string;
  readonly claims: readonly string[];
}

export function placeOf(plan: Plan): Place {
  return plan.output_changes!.place!.after as Place;
}

/**
 * Reads a manifest and the state of its deployment, and checks everything that can be checked before the bundling.
 *
 * @returns The deployment; `undefined` if the user declined to move the state.
 */
export async function openDeployment(
  manifestPath: string,
  options: OpenOptions,
): Promise<Deployment | undefined> {
  const { print, signal } = options;
  const manifest = await readManifest(manifestPath, options.stage);
  const path = resolve(manifestPath);
  const infra = await readInfra(`${dirname(path)}/infra`);
  checkOutputs(manifest, infra);
  const needed = providerFor(manifest);
  const wanted = manifest.region ?? Deno.env.get("AWS_REGION") ??
    Deno.env.get("AWS_DEFAULT_REGION");
  const application = resolveApplication({ ...manifest, region: wanted }, DEPLOYED);
  const root = { application, state: manifest.state, infra };
  const program = await findTerraform(print);
  const folder = deploymentFolder(path, manifest);
  await checkOwnFiles(folder);
  const start = (region: string | undefined, at = folder) =>
    new Terraform(program, at, region ? { AWS_REGION: region } : {}, signal);
  const isNew = !existsSync(folder);
  try {
    await restoreState(folder);
    const flags = await flagsToMove(manifest, folder, start.bind(undefined, wanted), options);
    if (flags === undefined) return undefined;
    if (!existsSync(`${folder}/.terraform`)) print("Fetching Terraform's provider for AWS");
    const places = { folder, file: lockFileOf(path) };
    const initialize = async (provider: string, flags: readonly string[] = []) => {
      const engine = { program: basename(program), provider };
      await writeRootModule(folder, { ...root, provider });
      await writeProviderLock(places, engine);
      await start(wanted).read("init", "-no-color", ...flags);
      if (!await keepProviderLock(places, engine)) return;
      print(
        `Wrote the checksums of Terraform's provider ${provider} to "${places.file}": keep this file in version control`,
      );
    };
    await initialize(needed, flags);
    const deployed = await readState(start(wanted));
    const provider = providerOfState(manifest, needed, deployed);
    if (provider !== needed) await initialize(provider);
    const { account, region = (await findPlace(start(wanted), manifest.name)).region } = deployed;
    if (wanted && wanted !== region) {
      throw new Error(
        `Cannot use the region "${wanted}": "${manifest.name}" is deployed in "${region}"; undeploy it there first`,
      );
    }
    if (!wanted) checkNames({ ...manifest, region });
    return {
      application,
      region,
      folder,
      terraform: start(region),
      deployed,
      hasInfra: infra !== undefined,
      write: (changes) => writeRootModule(folder, { ...root, provider, account, ...changes }),
    };
  } catch (error) {
    if (isNew) await removeEmpty(folder);
    throw error;
  }
}

/** The folder of a deployment beside the manifest. Its name has the stage if it is not the default stage. */
function deploymentFolder(path: string, { furtherStage }: Manifest): string {
  const stage = furtherStage === undefined ? "" : `@${furtherStage}`;
  return `${dirname(path)}/.mate/deploy/${basename(path, ".json")}${stage}`;
}

/**
 * Returns the flags with which `terraform init` takes over the state from the place of the last run. If there is a state to
 * move, asks first.
 *
 * @returns `undefined` if the user declined.
 * @throws {Error} If there is a state to move, but nothing may change.
 */
async function flagsToMove(
  { state, name }: Manifest,
  folder: string,
  start: (folder?: string) => Terraform,
  { print, confirm, isPlanOnly }: OpenOptions,
): Promise<string[] | undefined> {
  const last = await lastStateOf(folder);
  if (last === undefined || last.state === state) return [];
  const { resources } = await readState(start());
  if (resources.length === 0) return ["-reconfigure"];
  const [from, to] = [last.state, state].map((place) => placeOfState(place, folder));
  if (isPlanOnly) {
    throw new Error(
      `Cannot show the plan of "${name}": its state is in ${from}, and "state" names ${to}; run "mate deploy" to move it first`,
    );
  }
  await checkFree(state, folder, start);
  if (!confirm(`Move the state of "${name}" from ${from} to ${to}?`)) {
    print("Nothing was changed");
    return undefined;
  }
  return ["-migrate-state", "-force-copy"];
}

/**
 * Finds the account and the region.
 *
 * @throws {Error} If another state has claimed the name of the application there.
 */
async function findPlace(terraform: Terraform, name: string): Promise<Place> {
  await terraform.run(["plan", "-out=place", ...PLACE.map((address) => `-target=${address}`)]);
  const place = placeOf(JSON.parse(await terraform.read("show", "-json", "place")));
  if (place.claims.includes(`/mate/${name}`)) throw new Error(claimProblem(name, place));
  return place;
}

/** Says that the name of the application is taken. */
export function claimProblem(name: string, { account, region }: Place): string {
  return `Cannot find the state of "${name}": account ${account} has an application of this name in ${region}, and the state here does not contain it.
If it is this application, share its state: set "state" to a place such as "s3://bucket/${name}.tfstate" on the machine that deployed it, deploy there once, and use the same manifest here.
If it is another application, choose another "name". If a run was killed at its start and nothing is deployed, delete the log group /mate/${name}.`;
}

/** Removes the folder of a deployment that has not begun, and the folders above it that are empty then. */
async function removeEmpty(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true });
  for (const parent of [dirname(folder), dirname(dirname(folder))]) {
    for await (const _ of Deno.readDir(parent)) return;
    await Deno.remove(parent);
  }
}
