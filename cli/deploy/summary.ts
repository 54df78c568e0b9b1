export interface Resource {
  /** The type, such as `aws_lambda_function`. */
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The types that a reader knows: singular, plural, and the attribute with the name. */
const KNOWN: Readonly<Record<string, readonly [one: string, many: string, attribute: string]>> = {
  aws_lambda_function: ["function", "functions", "function_name"],
  aws_lambda_layer_version: ["layer", "layers", "layer_name"],
  aws_api_gateway_rest_api: ["HTTP gateway", "HTTP gateways", "name"],
  aws_cloudwatch_event_rule: ["schedule or event rule", "schedules and event rules", "name"],
  aws_scheduler_schedule: ["schedule", "schedules", "name"],
  aws_s3_bucket: ["bucket", "buckets", "bucket"],
  aws_sns_topic: ["topic", "topics", "name"],
  aws_sqs_queue: ["queue", "queues", "name"],
  aws_cloudwatch_log_group: ["log group", "log groups", "name"],
  aws_iam_role: ["role", "roles", "name"],
};

/** Lists resources for a reader: a line for each kind, with the names. */
export function listResources(resources: readonly Resource[]): string[] {
  const lines = Object.entries(KNOWN).flatMap(([type, [one, many, attribute]]) => {
    const names = resources.filter((resource) => resource.type === type)
      .map(({ attributes }) => String(attributes[attribute]));
    return names.length === 0
      ? []
      : [`${names.length} ${names.length === 1 ? one : many}: ${names.sort().join(", ")}`];
  });
  // Resources of the folder infra/ can have any type, and a reader must see each type.
  const others = Map.groupBy(
    resources.filter(({ type }) => !(type in KNOWN)),
    ({ type }) =>
      /^aws_(lambda|api_gateway|cloudwatch_event|iam|s3|sns|sqs)_/.test(type) ? "" : type,
  );
  for (const [type, { length }] of others) {
    lines.push(`${length} ${type || "permissions, routes and settings that belong to them"}`);
  }
  return lines;
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
  readonly checks?: readonly {
    readonly instances?: readonly {
      readonly problems?: readonly { readonly message: string }[];
    }[];
  }[];
}

/** Summarises a plan for a reader. The losses come last, right before the question. */
export function summarize(plan: Plan): string[] {
  const changes = (plan.resource_changes ?? []).filter(({ mode }) => mode === "managed");
  const having = (...actions: readonly string[]) =>
    changes.filter(({ change }) => actions.includes(change.actions.join("+")))
      .map(({ type, change }) => ({ type, attributes: { ...change.before, ...change.after } }));
  const imported = changes.filter(({ change }) => change.importing)
    .map(({ type, change }) => ({ type, attributes: { ...change.before } }));
  const lost = changes.filter(({ change }) => /^delete/.test(change.actions.join("+")))
    .map(({ type, change }) => ({ type, attributes: { ...change.before } }));
  const isUnchanged = changes.every(({ change }) => change.actions.join() === "no-op") &&
    Object.values(plan.output_changes ?? {}).every(({ actions }) => actions.join() === "no-op");
  if (isUnchanged && imported.length === 0) return [];
  const warnings = (plan.checks ?? []).flatMap(({ instances = [] }) => instances)
    .flatMap(({ problems = [] }) => problems.map(({ message }) => `Warning: ${message}`));
  return [
    ...warnings,
    ...section("Takes over from a run that was killed:", imported),
    ...section("Creates:", having("create", "delete+create")),
    ...section("Changes:", having("update", "create+delete")),
    ...section("Deletes, with everything they hold (a bucket only if it is empty):", lost),
  ];
}

function section(title: string, resources: readonly Resource[]): string[] {
  return resources.length === 0
    ? []
    : [title, ...listResources(resources).map((line) => `  ${line}`)];
}

/** The URLs and the names of a deployed application. */
export interface Outputs
  extends Readonly<Record<"urls" | "buckets" | "topics" | "queues", Record<string, string>>> {
  /** The URL of the gateway; `null` without routes. */
  readonly base_url: string | null;
  /** A request to try for each route. */
  readonly requests: readonly string[];
}

/** Prints the URLs and the names of a deployed application. */
export function printOutputs(
  { base_url, requests, urls, buckets, topics, queues }: Outputs,
  print: (line: string) => void,
): void {
  if (base_url) print(`\nBase URL: ${base_url}\n\n${requests.join("\n")}\n`);
  for (
    const [kind, names] of Object.entries({
      URL: urls,
      Bucket: buckets,
      Topic: topics,
      Queue: queues,
    })
  ) {
    for (const [key, name] of Object.entries(names)) print(`${kind} ${key}: ${name}`);
  }
}
