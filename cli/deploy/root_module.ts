import type { Place } from "../rules/arn.ts";
import { ifThere } from "../programs/downloads.ts";
import { mapValues } from "../application/resources.ts";
import type { Application } from "../application/types.ts";
import alarms from "./tf/alarms.tf" with { type: "text" };
import buckets from "./tf/buckets.tf" with { type: "text" };
import functions from "./tf/functions.tf" with { type: "text" };
import gateway from "./tf/gateway.tf" with { type: "text" };
import http_api from "./tf/http_api.tf" with { type: "text" };
import outputs from "./tf/outputs.tf" with { type: "text" };
import queues from "./tf/queues.tf" with { type: "text" };
import rest_api from "./tf/rest_api.tf" with { type: "text" };
import schedules from "./tf/schedules.tf" with { type: "text" };
import tables from "./tf/tables.tf" with { type: "text" };
import topics from "./tf/topics.tf" with { type: "text" };
import variables from "./tf/variables.tf" with { type: "text" };
import type { Infra } from "./infra.ts";

/** The address of the module with the application. */
export const MODULE = "module.application";

/** The address of the log group that claims the name of the application. */
export const CLAIM = "aws_cloudwatch_log_group.application";

/** The data that say whether the name is claimed, and where. Terraform can read them without the bundles. */
export const PLACE: readonly string[] = [
  "data.aws_cloudwatch_log_groups.claim",
  "data.aws_caller_identity.current",
  "data.aws_region.current",
];

/** The files of the Terraform module, by name. As part of the module graph they come from the same place as the code. */
const MODULE_FILES: Readonly<Record<string, string>> = {
  alarms,
  buckets,
  functions,
  gateway,
  http_api,
  outputs,
  queues,
  rest_api,
  schedules,
  tables,
  topics,
  variables,
};

/** The parts of the root module that differ between applications and runs. */
export interface RootModule {
  /** The application in {@linkcode DEPLOYED}. */
  readonly application: Application;
  /** The only account that Terraform may use; any account by default. */
  readonly account?: string | undefined;
  /** The version of Terraform's provider. */
  readonly provider: string;
  /** The place of the state, such as `s3://bucket/key`; by default a file beside the root module. */
  readonly state?: string | undefined;
  /** The Terraform files of the user in the folder `infra` beside the manifest. */
  readonly infra?: Infra | undefined;
  /** Whether to remove everything except the data. */
  readonly isDataOnly?: boolean;
  /** Whether Terraform may delete buckets that hold objects, and tables. */
  readonly deletesData?: boolean | undefined;
  /** The resources to take into the state: their identifiers by address. */
  readonly imports?: Readonly<Record<string, string>>;
}

/** Begins an expression of Terraform in a text. No author of a manifest can guess it. */
const MARK = `\uE000${crypto.randomUUID()}`;

const expression = (text: string) => `${MARK}${text}\uE001`;

const EXPRESSION = new RegExp(`([$%]?)${MARK}([^\uE001]*)\uE001`, "g");

/** The place of a deployed application. Terraform knows the account and the outputs of `infra`. */
export const DEPLOYED: Place = {
  partition: expression("local.partition"),
  account: expression("local.account"),
  region: expression("local.region"),
  queues: expression("local.queues"),
  infra: (name) => expression(`module.infra.${name}`),
};

/** Writes a value as Terraform reads JSON: each text is a template. */
function templateOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => part === undefined ? null : part, 2)
    .replaceAll(/[$%](?=\{)/g, (sign) => sign + sign)
    // A sign before an expression would escape it.
    .replaceAll(EXPRESSION, (_, sign, text) => (sign && `\${\\"${sign}\\"}`) + `\${${text}}`);
}

/** Writes the module that makes resources of an application into the folder `module`. */
export async function writeModule(folder: string): Promise<void> {
  await ifThere(Deno.remove(`${folder}/module`, { recursive: true })); // with the files that are not in MODULE_FILES
  await Deno.mkdir(`${folder}/module`, { recursive: true, mode: 0o700 }); // the state may hold secrets
  for (const [name, text] of Object.entries(MODULE_FILES)) {
    await Deno.writeTextFile(`${folder}/module/${name}.tf`, text);
  }
}

/** Writes the root module that deploys an application, and the module that it calls. */
export async function writeRootModule(folder: string, root: RootModule): Promise<void> {
  await writeModule(folder);
  await Deno.writeTextFile(`${folder}/.gitignore`, "*\n");
  const { functions, ...others } = root.isDataOnly ? dataOf(root.application) : root.application;
  const application = {
    ...others,
    functions: mapValues(functions, ({ code: _, ...settings }) => settings), // the bundles have the code
  };
  await Deno.writeTextFile(
    `${folder}/application.tf.json`,
    templateOf({ locals: { application, resources: resourcesOf(root.application) } }),
  );
  await Deno.writeTextFile(`${folder}/main.tf.json`, JSON.stringify(rootModule(root), null, 2));
}

/** The names and the ARNs for infra, as the output `resources` of the module has them. */
function resourcesOf(application: Application): unknown {
  const { functions, buckets, tables, topics, queues, gateway } = application;
  const facts = ({ name, arn }: { readonly name: string; readonly arn: string }) => ({ name, arn });
  return {
    functions: mapValues(functions, facts),
    buckets: mapValues(buckets, facts),
    tables: mapValues(tables, facts),
    topics: mapValues(topics, facts),
    queues: mapValues(queues, (queue) => ({
      ...facts(queue),
      dead_letters: facts(queue.deadLetters),
    })),
    gateway: gateway && { id: "", stage: gateway.stage, arn: "", url: "" }, // only the cloud knows the others
  };
}

/** The parts of an application that hold data. Nothing listens to them. */
function dataOf(application: Application): Application {
  return {
    ...application,
    settings: { ...application.settings, domain: undefined, vpc: undefined, alarms: undefined },
    functions: {},
    gateway: undefined,
    buckets: mapValues(application.buckets, (bucket) => ({ ...bucket, listeners: [] })),
    topics: {},
    queues: {},
    tables: mapValues(application.tables, (table) => ({ ...table, listeners: [] })),
    rules: {},
    schedules: {},
    scheduler: undefined,
    records: [],
    alarms: {},
  };
}

function rootModule(root: RootModule): unknown {
  const { application: { name, stage, settings, tags, logGroup }, infra, state } = root;
  // If only the data stay, infra stays too, because it may forbid to destroy a resource. The application has no outputs then.
  const inputs = {
    name,
    stage,
    region: "${local.region}",
    application: root.isDataOnly ? "${local.resources}" : `\${${MODULE}.resources}`,
  };
  return {
    terraform: {
      required_version: ">= 1.10",
      required_providers: {
        aws: { source: "hashicorp/aws", version: root.provider },
      },
      backend: backendOf(state),
    },
    provider: {
      aws: {
        default_tags: { tags },
        s3_use_path_style: isEmulated(),
        ...(root.account && { allowed_account_ids: [root.account] }),
      },
    },
    data: {
      aws_caller_identity: { current: {} },
      aws_region: { current: {} },
      aws_partition: { current: {} },
      ...(!root.account && {
        aws_cloudwatch_log_groups: { claim: { log_group_name_prefix: logGroup.name } },
      }),
    },
    locals: {
      account: "${data.aws_caller_identity.current.account_id}",
      region: "${data.aws_region.current.id}",
      partition: "${data.aws_partition.current.partition}",
      queues: isEmulated()
        ? `${Deno.env.get("AWS_ENDPOINT_URL")}/\${local.account}`
        : "https://sqs.${local.region}.${data.aws_partition.current.dns_suffix}/${local.account}",
    },
    resource: {
      // All other names are made from the claimed name, so Terraform creates nothing before the claim.
      aws_cloudwatch_log_group: {
        application: { name: logGroup.name, retention_in_days: settings.logs.days },
      },
    },
    module: {
      application: {
        source: "./module",
        application: "${local.application}",
        bundles: "bundles",
        delete_data: root.deletesData ?? false,
        depends_on: [CLAIM],
      },
      ...(infra && {
        infra: {
          source: "../../../infra",
          ...Object.fromEntries(
            Object.entries(inputs).filter(([input]) => infra.variables.has(input)),
          ),
        },
      }),
    },
    output: {
      application: { value: `\${${MODULE}.names}` },
      provider: { value: root.provider }, // An older version cannot read the state.
      place: {
        value: {
          account: "${local.account}",
          region: "${local.region}",
          claims: root.account ? [] : "${data.aws_cloudwatch_log_groups.claim.log_group_names}",
        },
      },
    },
    import: Object.entries(root.imports ?? {}).map(([to, id]) => ({ to, id })),
  };
}

/** Emulators address buckets by path. */
const isEmulated = () => Deno.env.has("AWS_ENDPOINT_URL");

/** The backend of Terraform that keeps the state. */
export function backendOf(state: string | undefined): Readonly<Record<string, object>> {
  if (state === undefined) return { local: {} };
  const { host, pathname } = new URL(state);
  return {
    s3: {
      bucket: host,
      key: pathname.slice(1),
      encrypt: true,
      use_lockfile: true,
      use_path_style: isEmulated(),
    },
  };
}
