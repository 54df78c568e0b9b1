import { assertEquals } from "@std/assert";
import { nameResource, type Plan, summarize } from "./summary.ts";

/** A change of a plan. */
function change(type: string, actions: string, name: string, module = "module.application") {
  const attributes: Record<string, string> = {
    aws_s3_bucket: "bucket",
    aws_lambda_function: "function_name",
    aws_lambda_layer_version: "layer_name",
  };
  const value = { [attributes[type] ?? "name"]: name };
  return {
    address: `${module}.${type}.${name}`,
    mode: "managed",
    type,
    change: {
      actions: actions.split("+"),
      before: actions === "create" ? null : value,
      after: actions === "delete" ? null : value,
    },
  };
}

Deno.test("summarize() lists losses last, and a replacement that loses nothing as a change", () => {
  const plan: Plan = {
    resource_changes: [
      change("aws_s3_bucket", "delete", "old"),
      change("aws_s3_bucket", "create", "new"),
      change("aws_lambda_layer_version", "create+delete", "deno"),
      change("aws_lambda_function", "update", "a"),
      change("aws_lambda_function", "update", "b"),
      change("aws_lambda_function", "delete", "c"),
      change("aws_iam_role_policy", "no-op", "same"),
      change("aws_lambda_permission", "create", "permission"),
      change("aws_lambda_permission", "delete", "old"),
      change("aws_instance", "create", "machine", "module.infra"),
      change("aws_acm_certificate", "create+delete", "tls", "module.infra"),
    ],
  };
  assertEquals(summarize(plan), {
    lines: [
      "Creates:",
      "  1 bucket: new",
      "  1 permissions, routes and settings that belong to them",
      "  aws_instance machine (module.infra.aws_instance.machine)",
      "Changes:",
      "  2 functions: a, b",
      "  1 layer: deno",
      "Deletes:",
      "  1 function: c",
      "  1 permissions, routes and settings that belong to them",
      "  deletes bucket old (aws_s3_bucket.old)",
      "  replaces aws_acm_certificate tls (module.infra.aws_acm_certificate.tls)",
    ],
    losses: ["May delete data:", "  deletes bucket old (aws_s3_bucket.old)"],
    replaced: [],
  });
});

Deno.test("summarize() says which address of the gateway goes", () => {
  const address = "module.application.terraform_data.address[0]";
  const url = (input: string) => ({ input });
  const actions = ["update"];
  const moved = { address, mode: "managed", type: "terraform_data" };
  const plan: Plan = {
    resource_changes: [
      change("aws_api_gateway_rest_api", "delete", "shop"),
      change("aws_apigatewayv2_api", "create", "shop"),
      { ...moved, change: { actions, before: url("https://old/v1"), after: null } },
    ],
  };
  assertEquals(summarize(plan).lines, [
    "Creates:",
    "  1 HTTP gateway: shop",
    "Changes:",
    "  1 permissions, routes and settings that belong to them",
    "Changes the address of the HTTP gateway:",
    '  https://old/v1 goes when the new one, which is shown at the end, answers. A domain of "settings.domain" moves to the new one, and gives errors meanwhile',
    "Deletes:",
    "  1 HTTP gateway: shop",
  ]);
});

Deno.test("summarize() says of each resource that holds data whether it is deleted or replaced, in both orders", () => {
  const data = [
    ["aws_s3_bucket", "module.application", "bucket"],
    ["aws_dynamodb_table", "module.application", "table"],
    ["aws_sqs_queue", "module.application", "queue"],
    ["aws_cloudwatch_log_group", "module.application", "log group"],
    ["aws_dynamodb_table", "module.infra", "table"],
    ["aws_db_instance", "module.infra", "aws_db_instance"],
  ] as const;
  for (const [type, module, noun] of data) {
    const address = `${module}.${type}.x`;
    const name = `${noun} x (${address.replace("module.application.", "")})`;
    for (
      const [actions, verb] of [
        ["delete", "deletes"],
        ["delete+create", "replaces (deletes with its data)"],
        ["create+delete", "replaces (deletes with its data)"],
      ] as const
    ) {
      const { lines, losses, replaced } = summarize({
        resource_changes: [change(type, actions, "x", module)],
      });
      assertEquals(losses, ["May delete data:", `  ${verb} ${name}`], `${actions} ${address}`);
      assertEquals(lines, ["Deletes:", `  ${verb} ${name}`], `${actions} ${address}`);
      assertEquals(replaced.map(nameResource), actions === "delete" ? [] : [name], address);
    }
  }
});

Deno.test("summarize() returns no lines if the plan changes nothing, and lines if it imports", () => {
  const lines = (...changes: NonNullable<Plan["resource_changes"]>) =>
    summarize({ resource_changes: changes }).lines;
  assertEquals(lines(change("aws_iam_role", "no-op", "a")), []);
  assertEquals(summarize({}), { lines: [], losses: [], replaced: [] });
  const imported = change("aws_iam_role", "no-op", "a");
  assertEquals(lines({ ...imported, change: { ...imported.change, importing: { id: "a" } } }), [
    "Takes over from a run that was killed:",
    "  1 role: a",
  ]);
});
