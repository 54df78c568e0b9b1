import { existsSync } from "node:fs";
import { backendOf } from "./root_module.ts";
import type { Resource } from "./summary.ts";
import type { Terraform } from "./terraform.ts";

export interface Deployed {
  /** The account; absent if nothing is deployed. */
  readonly account?: string | undefined;
  /** The region; absent if nothing is deployed. */
  readonly region?: string | undefined;
  /** The version of Terraform's provider that has written the state, if the state says it. */
  readonly provider?: string | undefined;
  readonly resources: readonly Resource[];
}

interface State {
  readonly outputs?: { readonly provider?: { readonly value: string } };
  readonly resources?: readonly {
    readonly module?: string;
    readonly mode: string;
    readonly type: string;
    readonly name: string;
    readonly instances: readonly {
      readonly index_key?: string | number;
      readonly attributes: Readonly<Record<string, unknown>>;
    }[];
  }[];
}

export async function readState(terraform: Terraform): Promise<Deployed> {
  const { resources = [], outputs }: State = JSON.parse(
    await terraform.read("state", "pull") || "{}",
  );
  const managed = resources.filter(({ mode }) => mode === "managed");
  const claim = managed.find(({ name, module }) => name === "application" && !module)?.instances[0];
  const [, , , region, account] = String(claim?.attributes.arn ?? "").split(":");
  return {
    account,
    region,
    provider: outputs?.provider?.value,
    resources: managed.flatMap(({ module, type, name, instances }) =>
      instances.map(({ index_key: key, attributes }) => ({
        address: `${module ? `${module}.` : ""}${type}.${name}` +
          (key === undefined ? "" : `[${JSON.stringify(key)}]`),
        type,
        attributes,
      }))
    ),
  };
}

/**
 * Restores the local state after a run that was killed while Terraform was writing the file. Terraform truncates the file
 * first; the backup beside it is the state before the run.
 */
export async function restoreState(folder: string): Promise<void> {
  const file = `${folder}/terraform.tfstate`;
  try {
    JSON.parse(await Deno.readTextFile(file));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof SyntaxError)) throw error;
    await Deno.copyFile(`${file}.backup`, file);
  }
}

/** The place of the state in words. */
export function placeOfState(state: string | undefined, folder: string): string {
  return state ?? `the folder ${folder}`;
}

/**
 * Finds the place of the state at the last run.
 *
 * @returns `{ state }`, whose `state` is `undefined` for the folder; `undefined` if there was no run.
 */
export async function lastStateOf(folder: string): Promise<{ state?: string } | undefined> {
  const file = `${folder}/.terraform/terraform.tfstate`;
  if (!existsSync(file)) return undefined;
  const { backend } = JSON.parse(await Deno.readTextFile(file));
  if (backend?.type !== "s3") return {};
  return { state: `s3://${backend.config.bucket}/${backend.config.key}` };
}

/**
 * Checks that a place has no state yet, because Terraform would replace it.
 *
 * @param start Starts Terraform in a folder.
 * @throws {Error} If there is a state with resources.
 */
export async function checkFree(
  state: string | undefined,
  folder: string,
  start: (folder: string) => Terraform,
): Promise<void> {
  const probe = await Deno.makeTempDir({ prefix: "mate-state-" });
  try {
    const backend = state === undefined
      ? { local: { path: `${folder}/terraform.tfstate` } }
      : backendOf(state);
    await Deno.writeTextFile(`${probe}/main.tf.json`, JSON.stringify({ terraform: { backend } }));
    await start(probe).read("init", "-no-color");
    if ((await readState(start(probe))).resources.length === 0) return;
  } finally {
    await Deno.remove(probe, { recursive: true });
  }
  throw new Error(
    `Cannot move the state to ${
      placeOfState(state, folder)
    }: it holds the state of a deployment; name another place`,
  );
}
