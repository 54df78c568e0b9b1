/**
 * Prints what a plan of Terraform removes. Takes the path of the plan as JSON.
 *
 * @module
 */

interface Plan {
  readonly resource_changes?: readonly {
    readonly type: string;
    readonly change: {
      readonly actions: readonly string[];
      readonly before: Record<string, unknown> | null;
    };
  }[];
}

/** The types that a reader knows, what they are called, and the attribute that names one. */
const KNOWN: Record<string, readonly [one: string, many: string, attribute: string]> = {
  aws_lambda_function: ["function", "functions", "function_name"],
  aws_lambda_layer_version: ["layer", "layers", "layer_name"],
  aws_api_gateway_rest_api: ["HTTP gateway", "HTTP gateways", "name"],
  aws_cloudwatch_event_rule: ["schedule", "schedules", "name"],
  aws_s3_bucket: ["bucket", "buckets", "bucket"],
  aws_sns_topic: ["topic", "topics", "name"],
  aws_cloudwatch_log_group: ["log group", "log groups", "name"],
  aws_iam_role: ["role", "roles", "name"],
};

const [path = ""] = Deno.args;
const { resource_changes = [] } = JSON.parse(await Deno.readTextFile(path)) as Plan;
const removed = resource_changes.filter(({ change }) => change.actions.includes("delete"));
for (const [type, [one, many, attribute]] of Object.entries(KNOWN)) {
  const names = removed.filter((resource) => resource.type === type)
    .map(({ change }) => String(change.before?.[attribute]));
  if (names.length > 0) {
    console.log(`  ${names.length} ${names.length === 1 ? one : many}: ${names.join(", ")}`);
  }
}
const others = removed.filter(({ type }) => !(type in KNOWN)).length;
if (others > 0) console.log(`  ${others} routes, permissions and settings that belong to them`);
