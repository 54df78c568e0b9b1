import { basename } from "node:path";
import buckets from "./tf/buckets.tf" with { type: "text" };
import functions from "./tf/functions.tf" with { type: "text" };
import gateway from "./tf/gateway.tf" with { type: "text" };
import manifest from "./tf/manifest.tf" with { type: "text" };
import outputs from "./tf/outputs.tf" with { type: "text" };
import queues from "./tf/queues.tf" with { type: "text" };
import roles from "./tf/roles.tf" with { type: "text" };
import schedules from "./tf/schedules.tf" with { type: "text" };
import topics from "./tf/topics.tf" with { type: "text" };
import urls from "./tf/urls.tf" with { type: "text" };
import variables from "./tf/variables.tf" with { type: "text" };
import versions from "./tf/versions.tf" with { type: "text" };
import providerLock from "./terraform.lock.hcl" with { type: "text" };

/** The address of the module with the application. */
export const MODULE = "module.application";

/** The files of the Terraform module, by name. As part of the module graph they come from the same place as the code. */
const MODULE_FILES: Readonly<Record<string, string>> = {
  buckets,
  functions,
  gateway,
  manifest,
  outputs,
  queues,
  roles,
  schedules,
  topics,
  urls,
  variables,
  versions,
};

/** Variables that the environment sets as `TF_VAR_log_format` and so on. */
const SETTINGS = [
  "log_format",
  "log_retention_days",
  "throttle_rate",
  "throttle_burst",
  "gateway_log_role",
];

/** The parts of the root module that differ between applications and runs. */
export interface RootModule {
  /** The path of the manifest. Its folder is three levels above the folder of the root module. */
  readonly manifestPath: string;
  readonly name: string;
  /** The only account that Terraform may use; any account by default. */
  readonly account?: string | undefined;
  /** The place of the state, such as `s3://bucket/key`; by default a file beside the root module. */
  readonly state?: string | undefined;
  /** Whether the folder of the manifest has a folder `infra` with Terraform files. */
  readonly hasInfra: boolean;
  /** Whether to remove everything except the buckets. */
  readonly isDataOnly?: boolean;
  /** Whether Terraform may delete buckets that hold objects. */
  readonly deletesData?: boolean | undefined;
  /** The resources to take into the state: their identifiers by address. */
  readonly imports?: Readonly<Record<string, string>>;
}

/** Writes the root module that deploys an application, and the module that it calls. */
export async function writeRootModule(folder: string, root: RootModule): Promise<void> {
  await Deno.mkdir(`${folder}/module`, { recursive: true, mode: 0o700 }); // the state may hold secrets
  for (const [name, text] of Object.entries(MODULE_FILES)) {
    await Deno.writeTextFile(`${folder}/module/${name}.tf`, text);
  }
  await Deno.writeTextFile(`${folder}/main.tf.json`, JSON.stringify(rootModule(root), null, 2));
}

/** Writes the checksums of the provider for every platform. `terraform init` then requires them. */
export async function writeProviderLock(folder: string): Promise<void> {
  await Deno.writeTextFile(`${folder}/.terraform.lock.hcl`, providerLock);
}

function rootModule(root: RootModule): unknown {
  const isEmulated = Deno.env.has("AWS_ENDPOINT_URL"); // emulators address buckets by path
  return {
    terraform: { required_version: ">= 1.10", backend: backend(root.state, isEmulated) },
    provider: {
      aws: {
        default_tags: { tags: { application: root.name, "managed-by": "terraform" } },
        s3_use_path_style: isEmulated,
        ...(root.account && { allowed_account_ids: [root.account] }),
      },
    },
    variable: Object.fromEntries(SETTINGS.map((name) => [name, { default: null }])),
    module: {
      application: {
        source: "./module",
        manifest: `../../../${basename(root.manifestPath)}`,
        bundles: "bundles",
        data_only: root.isDataOnly ?? false,
        delete_data: root.deletesData ?? false,
        ...Object.fromEntries(SETTINGS.map((name) => [name, `\${var.${name}}`])),
        // If only the buckets stay, nothing needs the outputs of infra, and Terraform must not create infra again.
        ...(root.hasInfra && !root.isDataOnly && { infra: "${module.infra}" }),
      },
      ...(root.hasInfra && { infra: { source: "../../../infra" } }),
    },
    output: { application: { value: `\${${MODULE}}` } },
    import: Object.entries(root.imports ?? {}).map(([to, id]) => ({ to, id })),
  };
}

function backend(state: string | undefined, isEmulated: boolean): unknown {
  if (state === undefined) return { local: {} };
  const { host, pathname } = new URL(state);
  return {
    s3: {
      bucket: host,
      key: pathname.slice(1),
      encrypt: true,
      use_lockfile: true,
      use_path_style: isEmulated,
    },
  };
}
