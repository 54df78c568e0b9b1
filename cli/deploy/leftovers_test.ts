import { assertEquals, assertThrows } from "@std/assert";
import { checkOwner, importsOf, withoutAbsent } from "./leftovers.ts";
import type { Plan } from "./summary.ts";
import { TerraformError } from "./terraform.ts";

function plan(type: string, actions: string[], attributes: Record<string, unknown>): Plan {
  const change = { actions, before: attributes, after: attributes, importing: { id: "x" } };
  return {
    resource_changes: [{ address: `module.a.${type}.b["c"]`, mode: "managed", type, change }],
  };
}

Deno.test("importsOf() lists the resources that a plan creates, if their names are known", () => {
  const stage = { rest_api_id: "f", stage_name: "s" };
  const address = 'module.a.aws_api_gateway_stage.b["c"]';
  assertEquals(importsOf(plan("aws_api_gateway_stage", ["create"], stage)), {
    [address]: "f/s",
  });
  assertEquals(importsOf(plan("aws_api_gateway_stage", ["update"], stage)), {});
  assertEquals(importsOf(plan("aws_api_gateway_stage", ["create"], { stage_name: "v1" })), {});
  assertEquals(importsOf(plan("aws_sns_topic", ["create"], { name: "t" })), {});
});

/** The provider documents the identifiers in the section "Import" of each resource. */
Deno.test("importsOf() knows the identifier of each resource that cannot be created twice", () => {
  const attributes = {
    base_path: "",
    bucket: "uploads",
    domain_name: "shop.example",
    function_name: "shop-orders",
    name: "shop",
    rest_api_id: "r",
    stage_name: "v1",
    type: "A",
    zone_id: "Z1",
  };
  const table = [
    ["aws_cloudwatch_log_group", "shop"],
    ["aws_iam_role", "shop"],
    ["aws_lambda_function", "shop-orders"],
    ["aws_lambda_function_url", "shop-orders"],
    ["aws_s3_bucket", "uploads"],
    ["aws_api_gateway_stage", "r/v1"],
    ["aws_dynamodb_table", "shop"],
    ["aws_cloudformation_stack", "shop"],
    ["aws_api_gateway_domain_name", "shop.example"],
    ["aws_api_gateway_base_path_mapping", "shop.example/"],
    ["aws_route53_record", "Z1_shop_A"],
    ["aws_scheduler_schedule", "default/shop"],
  ] as const;
  for (const [type, id] of table) {
    const address = `module.a.${type}.b["c"]`;
    assertEquals(importsOf(plan(type, ["create"], attributes)), { [address]: id });
  }
});

Deno.test("withoutAbsent() leaves out the resources that Terraform did not find, and throws other errors", () => {
  const imports = { 'aws_iam_role.b["c"]': "c", "aws_iam_role.d": "d" };
  const absent = new TerraformError("plan", [{
    severity: "error",
    summary: "Cannot import non-existent remote object",
    detail: 'While attempting to import an existing object to "aws_iam_role.b[\\"c\\"]", …',
  }]);
  assertEquals(withoutAbsent(imports, absent), { "aws_iam_role.d": "d" });
  const other = new TerraformError("plan", [{ severity: "error", summary: "No credentials" }]);
  assertThrows(() => withoutAbsent(imports, other), TerraformError, "No credentials");
  const refused = new TerraformError("plan", [{
    severity: "error",
    summary: "Reading the role",
    detail: 'AccessDenied with aws_iam_role.b[\\"c\\"]',
  }]);
  assertThrows(() => withoutAbsent(imports, refused), TerraformError, "Reading the role");
});

Deno.test("checkOwner() refuses a resource without the tag of the application", () => {
  const check = (type: string, tags_all: unknown) =>
    checkOwner(plan(type, ["no-op"], { tags_all }), "shop");
  check("aws_iam_role", { application: "shop" });
  check("aws_lambda_function_url", undefined);
  check("aws_s3_bucket", {});
  for (const tags of [{}, null, { application: "other" }]) {
    assertThrows(() => check("aws_iam_role", tags), Error, "does not belong to");
  }
  assertThrows(() => check("aws_s3_bucket", { application: "other" }), Error, "does not belong");
});
