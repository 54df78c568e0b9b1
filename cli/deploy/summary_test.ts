import { assertEquals } from "@std/assert";
import { type Plan, summarize } from "./summary.ts";

/** A change of a plan. */
function change(type: string, actions: string, name: string, importing?: unknown) {
  const attribute = {
    aws_s3_bucket: "bucket",
    aws_lambda_function: "function_name",
    aws_lambda_layer_version: "layer_name",
  }[type] ??
    "name";
  const value = { [attribute]: name };
  return {
    address: `${type}.${name}`,
    mode: "managed",
    type,
    change: {
      actions: actions.split("+"),
      before: actions === "create" ? null : value,
      after: actions === "delete" ? null : value,
      ...(importing ? { importing } : {}),
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
      change("aws_dynamodb_table", "delete+create", "table"),
      change("aws_iam_role_policy", "no-op", "same"),
      change("aws_lambda_permission", "create", "permission"),
    ],
    checks: [{ instances: [{ problems: [{ message: "A secret." }] }] }],
  };
  assertEquals(summarize(plan), [
    "Warning: A secret.",
    "Creates:",
    "  1 bucket: new",
    "  1 aws_dynamodb_table",
    "  1 permissions, routes and settings that belong to them",
    "Changes:",
    "  2 functions: a, b",
    "  1 layer: deno",
    "Deletes, with everything they hold (a bucket only if it is empty):",
    "  1 bucket: old",
    "  1 aws_dynamodb_table",
  ]);
});

Deno.test("summarize() returns no lines if the plan changes nothing, and lines if it imports", () => {
  assertEquals(summarize({ resource_changes: [change("aws_iam_role", "no-op", "a")] }), []);
  assertEquals(summarize({}), []);
  assertEquals(
    summarize({ resource_changes: [change("aws_iam_role", "no-op", "a", { id: "a" })] }),
    [
      "Takes over from a run that was killed:",
      "  1 role: a",
    ],
  );
});
