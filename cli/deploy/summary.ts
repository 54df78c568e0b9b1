import { curlCommand, examplePath } from "../application/invoking.ts";
import type { Gateway } from "../application/types.ts";

/** A resource in the state or in a plan. */
export interface Resource {
  /** The address, such as `module.infra.aws_dynamodb_table.notes`. */
  readonly address: string;
  /** The type, such as `aws_lambda_function`. */
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The types that a reader knows: singular, plural, and the attribute with the name. */
const KNOWN: Readonly<Record<string, readonly [one: string, many: string, attribute: string]>> = {
  aws_lambda_function: ["function", "functions", "function_name"],
  aws_lambda_layer_version: ["layer", "layers", "layer_name"],
  aws_api_gateway_rest_api: ["HTTP gateway", "HTTP gateways", "name"],
  aws_apigatewayv2_api: ["HTTP gateway", "HTTP gateways", "name"],
  aws_api_gateway_domain_name: ["domain", "domains", "domain_name"],
  aws_cloudwatch_event_rule: ["schedule or event rule", "schedules and event rules", "name"],
  aws_scheduler_schedule: ["schedule", "schedules", "name"],
  aws_s3_bucket: ["bucket", "buckets", "bucket"],
  aws_sns_topic: ["topic", "topics", "name"],
  aws_sqs_queue: ["queue", "queues", "name"],
  aws_dynamodb_table: ["table", "tables", "name"],
  aws_cloudwatch_log_group: ["log group", "log groups", "name"],
  aws_cloudwatch_metric_alarm: ["alarm", "alarms", "alarm_name"],
  aws_iam_role: ["role", "roles", "name"],
};

/** The types of the application that hold data. */
const DATA = ["aws_s3_bucket", "aws_dynamodb_table", "aws_sqs_queue", "aws_cloudwatch_log_group"];

/** The types in the folder `infra` that hold no data. Every other type there may hold data. */
const STATELESS =
  /^(?:aws_(?:acm_|api_gateway_|apigatewayv2_|cloudfront_|cloudwatch_(?:dashboard|event_|metric_alarm)|eip|iam_|internet_gateway|lambda_|nat_gateway|route$|route_|route53_record|scheduler_|security_group|sns_|subnet|vpc|wafv2_)|null_|random_|time_|terraform_|tls_)/;

/** Tells whether data may be lost with a resource. */
export function holdsData({ address, type }: Pick<Resource, "address" | "type">): boolean {
  return isOfInfra(address) ? !STATELESS.test(type) : DATA.includes(type);
}

/** Tells whether a loss has its own line. */
const isNamed = (resource: Resource) => holdsData(resource) || isOfInfra(resource.address);

const isOfInfra = (address: string) => address.startsWith("module.infra.");

/** Lists resources for a reader: a line for each kind, with the names. */
function listResources(resources: readonly Resource[]): string[] {
  const lines = Object.entries(KNOWN).flatMap(([type, [one, many, attribute]]) => {
    const names = resources.filter((resource) => resource.type === type)
      .map(({ attributes }) => String(attributes[attribute]));
    return names.length === 0
      ? []
      : [`${names.length} ${names.length === 1 ? one : many}: ${names.sort().join(", ")}`];
  });
  const others = resources.filter(({ type }) => !(type in KNOWN));
  const own = others.filter(({ address }) => !isOfInfra(address));
  if (own.length > 0) {
    lines.push(`${own.length} permissions, routes and settings that belong to them`);
  }
  // Resources of the folder infra can have any type, and a reader must see each.
  return [...lines, ...others.filter(({ address }) => isOfInfra(address)).map(nameResource)];
}

/** Lists what is lost: each resource that may hold data and each resource of infra in a line, the others by kind. */
export function listLosses(
  losses: readonly Resource[],
  verbOf: (resource: Resource) => string = () => "deletes",
): string[] {
  return [
    ...listResources(losses.filter((loss) => !isNamed(loss))),
    ...losses.filter(isNamed).map((loss) => `${verbOf(loss)} ${nameResource(loss)}`),
  ];
}

/** Names a resource with its address, such as `table shop-notes (aws_dynamodb_table.table["notes"])`. */
export function nameResource({ address, type, attributes }: Resource): string {
  const [noun = type, , attribute = "name"] = KNOWN[type] ?? [];
  const name = attributes[attribute] ?? attributes.id; // absent if only the cloud knows it
  const at = `(${address.replace("module.application.", "")})`;
  return [noun, name, at].filter((part) => part !== undefined && part !== null).join(" ");
}

/** A plan as `terraform show -json` prints it. */
export interface Plan {
  readonly resource_changes?: readonly {
    readonly address: string;
    readonly mode: string;
    readonly type: string;
    readonly change: {
      readonly actions: readonly string[];
      readonly before: Readonly<Record<string, unknown>> | null;
      readonly after: Readonly<Record<string, unknown>> | null;
      readonly importing?: unknown;
    };
  }[];
  readonly output_changes?: Readonly<
    Record<string, { readonly actions: readonly string[]; readonly after?: unknown }>
  >;
}

/** A plan for a reader. */
interface Summary {
  /** The lines, with the losses last. If the plan changes nothing, the list is empty. */
  readonly lines: readonly string[];
  /** The lines about resources that may hold data and go. Terraform's plan does not say what holds data. */
  readonly losses: readonly string[];
  /** The resources whose data a replacement would delete. */
  readonly replaced: readonly Resource[];
}

/** Summarises a plan for a reader. */
export function summarize(plan: Plan): Summary {
  const changes = (plan.resource_changes ?? []).filter(({ mode }) => mode === "managed")
    .map(({ address, type, change }) => ({
      address,
      type,
      actions: change.actions,
      isImported: Boolean(change.importing),
      attributes: { ...change.after, ...change.before },
      after: { ...change.before, ...change.after },
    }));
  const having = (...actions: readonly string[]) =>
    changes.filter((change) => actions.includes(change.actions.join()));
  const isUnchanged = having("no-op").length === changes.length &&
    Object.values(plan.output_changes ?? {}).every(({ actions }) => actions.join() === "no-op");
  const imported = changes.filter((change) => change.isImported);
  if (isUnchanged && imported.length === 0) return { lines: [], losses: [], replaced: [] };
  const anew = [...having("delete,create"), ...having("create,delete")];
  const replaced = anew.filter(holdsData);
  const updated = having("update");
  const changed = [...updated, ...anew.filter((change) => !isNamed(change))]
    .map((change) => ({ ...change, attributes: change.after }));
  const verbOf = (loss: Resource) => {
    if (!anew.some(({ address }) => address === loss.address)) return "deletes";
    return holdsData(loss) ? "replaces (deletes with its data)" : "replaces";
  };
  const gone = [...having("delete"), ...anew.filter(isNamed)];
  return {
    lines: [
      ...section("Takes over from a run that was killed:", listResources(imported)),
      ...section("Creates:", listResources(having("create"))),
      ...section("Changes:", listResources(changed)),
      ...section("Changes the address of the HTTP gateway:", addressChanges(updated)),
      ...section("Deletes:", listLosses(gone, verbOf)),
    ],
    losses: section("May delete data:", listLosses(gone.filter(holdsData), verbOf)),
    replaced,
  };
}

/** Says that the URL of the gateway goes, which clients may know. */
function addressChanges(changed: readonly Resource[]): string[] {
  return changed.filter(({ address }) => address === "module.application.terraform_data.address[0]")
    .map(({ attributes: { input } }) =>
      `${input} goes when the new one, which is shown at the end, answers. A domain of "settings.domain" moves to the new one, and gives errors meanwhile`
    );
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

/** The URLs and the names of a deployed application. */
export interface Outputs extends
  Readonly<
    Record<
      "functions" | "log_groups" | "urls" | "buckets" | "topics" | "queues" | "tables",
      Record<string, string>
    >
  > {
  /** The URL of the gateway; `null` without routes. */
  readonly base_url: string | null;
}

/** Prints the URLs and the names of a deployed application, with a request to try for each route. */
export function printOutputs(
  { base_url, urls, buckets, topics, queues, tables }: Outputs,
  gateway: Gateway | undefined,
  print: (line: string) => void,
): void {
  if (base_url !== null) {
    const requests = (gateway?.routes ?? [])
      .map(({ method, path }) => curlCommand(method, base_url + examplePath(path)));
    print(`\nBase URL: ${base_url}\n\n${requests.join("\n")}\n`);
  }
  for (
    const [kind, names] of Object.entries({
      URL: urls,
      Bucket: buckets,
      Topic: topics,
      Queue: queues,
      Table: tables,
    })
  ) {
    for (const [key, name] of Object.entries(names)) print(`${kind} ${key}: ${name}`);
  }
}
