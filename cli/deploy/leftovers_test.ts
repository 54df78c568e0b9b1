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
