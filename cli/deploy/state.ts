import type { Resource } from "./summary.ts";
import type { Terraform } from "./terraform.ts";

export interface Deployed {
  /** The account; absent if nothing is deployed. */
  readonly account?: string | undefined;
  /** The region; absent if nothing is deployed. */
  readonly region?: string | undefined;
  readonly resources: readonly Resource[];
}

interface State {
  readonly resources?: readonly {
    readonly mode: string;
    readonly type: string;
    readonly name: string;
    readonly instances: readonly { readonly attributes: Readonly<Record<string, unknown>> }[];
  }[];
}

export async function readState(terraform: Terraform): Promise<Deployed> {
  const { resources = [] }: State = JSON.parse(
    await terraform.read("state", "pull") || "{}",
  );
  const managed = resources.filter(({ mode }) => mode === "managed");
  const claim = managed.find(({ name }) => name === "application")?.instances[0];
  const [, , , region, account] = String(claim?.attributes.arn ?? "").split(":");
  return {
    account,
    region,
    resources: managed.flatMap(({ type, instances }) =>
      instances.map(({ attributes }) => ({ type, attributes }))
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
