/** What a state of Terraform says of the deployment. */
export interface Deployed {
  /** The account it is in. */
  readonly account: string;
  /** The region it is in. */
  readonly region: string;
  /** The processor of its functions; empty if there are none. */
  readonly architecture: string;
  /** The number of resources. */
  readonly resources: number;
}

interface State {
  readonly resources?: readonly {
    readonly mode: string;
    readonly type: string;
    readonly instances: readonly { readonly attributes?: Record<string, unknown> }[];
  }[];
}

/**
 * Reads the state of a deployment.
 *
 * @param path The file.
 * @returns What it says; `undefined` if nothing is deployed.
 */
export async function readState(path: string): Promise<Deployed | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  if (text.trim() === "") return undefined; // what Terraform prints before the first deployment
  const { resources = [] } = JSON.parse(text) as State;
  const attribute = (type: string, name: string): unknown =>
    resources.find((resource) => resource.type === type)?.instances[0]?.attributes?.[name];
  const managed = resources.filter(({ mode }) => mode === "managed");
  const count = managed.reduce((sum, { instances }) => sum + instances.length, 0);
  if (count === 0) return undefined;
  const architectures = attribute("aws_lambda_function", "architectures");
  return {
    account: String(attribute("aws_caller_identity", "account_id")),
    region: String(attribute("aws_region", "name")),
    architecture: Array.isArray(architectures) ? String(architectures[0]) : "",
    resources: count,
  };
}
