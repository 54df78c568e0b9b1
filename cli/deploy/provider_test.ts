import { assert, assertEquals } from "@std/assert";
import { resolveApplication } from "../application/resolve.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { withF } from "../testdata/manifest.ts";
import { CONSTRAINTS, providerFor, providerOfState } from "./provider.ts";
import { DEPLOYED } from "./root_module.ts";
import known from "./testdata/provider_arguments.json" with { type: "json" };
import { usedArguments } from "./testdata/used_arguments.ts";

const types: Readonly<Record<string, { arguments: string[]; attributes: string[] }>> = known.types;

Deno.test("version 6 of Terraform's provider knows everything that a deployment names", async () => {
  // scripts/provider_arguments.ts writes the list.
  assertEquals(known.provider, CONSTRAINTS[6]);
  const used = await usedArguments();
  const unknown: string[] = [];
  for (const kind of ["arguments", "attributes"] as const) {
    const names = new Set(
      Object.entries(types).flatMap(([type, value]) => [
        type,
        ...value.arguments.map((name) => `${type}.${name}`),
        ...kind === "attributes" ? value.attributes.map((name) => `${type}.${name}`) : [],
      ]),
    );
    unknown.push(...used[kind].difference(names));
  }
  assertEquals(unknown, []);
  // What the test itself finds.
  for (
    const name of [
      "aws_lambda_function.vpc_config.subnet_ids",
      "aws_dynamodb_table.global_secondary_index.hash_key",
      "aws_lambda_event_source_mapping.destination_config.on_failure.destination_arn",
      "aws_api_gateway_stage.access_log_settings.format",
      "data.aws_cloudwatch_log_groups.log_group_name_prefix",
      "aws.default_tags",
    ]
  ) assert(used.arguments.has(name), name);
  for (const name of ["aws_dynamodb_table.stream_arn", "data.aws_region.id"]) {
    assert(used.attributes.has(name), name);
  }
});

Deno.test("providerFor() takes version 6 only for a runtime that version 5 does not know", () => {
  for (const [runtime, wanted] of [["deno", 5], ["nodejs22.x", 5], ["nodejs24.x", 6]] as const) {
    const manifest = parseManifest(withF({ runtime }), "app.json");
    assertEquals(providerFor(resolveApplication(manifest, DEPLOYED)), wanted, runtime);
  }
});

Deno.test("providerOfState() tells version 6 by the region of the application's log group", () => {
  const group = (attributes: object) => ({
    address: "aws_cloudwatch_log_group.application",
    type: "aws_cloudwatch_log_group",
    attributes: { name: "/mate/app", ...attributes },
  });
  // Version 5 already has a region of buckets.
  const bucket = { address: "b", type: "aws_s3_bucket", attributes: { region: "eu-west-1" } };
  assertEquals(providerOfState([]), 5);
  assertEquals(providerOfState([bucket, group({})]), 5);
  assertEquals(providerOfState([bucket, group({ region: "eu-west-1" })]), 6);
  assert(types.aws_cloudwatch_log_group!.arguments.includes("region"));
});
