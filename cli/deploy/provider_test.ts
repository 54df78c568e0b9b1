import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseManifest } from "../manifest/manifest.ts";
import { withF } from "../testdata/manifest.ts";
import { providerFor, providerOfState, PUBLISHED } from "./provider.ts";
import known from "./testdata/provider_arguments.json" with { type: "json" };
import { usedArguments } from "./testdata/used_arguments.ts";

const types: Readonly<Record<string, { arguments: string[]; attributes: string[] }>> = known.types;

Deno.test("the last version of the provider with checksums knows everything that a deployment names", async () => {
  // scripts/provider_arguments.ts writes the list.
  assertEquals(known.provider, Object.keys(PUBLISHED).at(-1));
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

const manifestOf = (settings: object, others: object = {}) =>
  parseManifest(withF(settings, others), "app.json");

Deno.test("providerFor() takes the oldest version with published checksums, unless the manifest names one", () => {
  for (
    const [runtime, provider, wanted] of [
      ["deno", undefined, "5.100.0"],
      ["nodejs22.x", undefined, "5.100.0"],
      ["nodejs24.x", undefined, "6.25.0"],
      ["deno", "6.73.0", "6.73.0"],
      ["nodejs24.x", "6.19.0", "6.19.0"],
    ] as const
  ) {
    const manifest = manifestOf({ runtime }, { ...provider && { provider } });
    assertEquals(providerFor(manifest), wanted, runtime);
  }
});

Deno.test("providerFor() refuses a runtime that no version with published checksums knows", () => {
  assertThrows(
    () => providerFor(manifestOf({ runtime: "nodejs26.x" })),
    TypeError,
    `"functions.f.runtime" is nodejs26.x, which needs a newer version of Terraform's provider than those whose checksums the tool has: name one that knows this runtime in "provider", such as "6.73.0"`,
  );
  const named = manifestOf({ runtime: "nodejs26.x" }, { provider: "6.73.0" });
  assertEquals(providerFor(named), "6.73.0");
});

Deno.test("a manifest names no version of the provider that its runtimes cannot have", () => {
  for (
    const [runtime, provider, message] of [
      ["deno", "5.99.1", "must be at least 5.100.0, the oldest version that the tool can use"],
      [
        "nodejs24.x",
        "6.9.0",
        'must be at least 6.19.0, the first version with nodejs24.x, the runtime of "f"',
      ],
      [
        "nodejs24.x",
        "5.100.0",
        'must be at least 6.19.0, the first version with nodejs24.x, the runtime of "f"',
      ],
      ["deno", "~> 6.70", "must be a version such as 6.73.0"],
      ["deno", "6.73", "must be a version such as 6.73.0"],
    ] as const
  ) {
    assertThrows(() => manifestOf({ runtime }, { provider }), TypeError, `"provider" ${message}`);
  }
});

Deno.test("providerOfState() never takes an older version than the one that has written the state", () => {
  const group = (attributes: object) => ({
    address: "aws_cloudwatch_log_group.application",
    type: "aws_cloudwatch_log_group",
    attributes: { name: "/mate/app", ...attributes },
  });
  // Version 5 already has a region of buckets.
  const bucket = { address: "b", type: "aws_s3_bucket", attributes: { region: "eu-west-1" } };
  const five = { resources: [bucket, group({})] };
  const six = { resources: [bucket, group({ region: "eu-west-1" })] };
  const later = { ...six, provider: "6.100.0" };
  for (
    const [chosen, deployed, wanted] of [
      [undefined, { resources: [] }, "5.100.0"],
      [undefined, five, "5.100.0"],
      [undefined, six, "6.25.0"],
      [undefined, later, "6.100.0"],
      ["6.73.0", five, "6.73.0"],
      ["6.73.0", six, "6.73.0"],
      ["6.100.0", later, "6.100.0"],
      ["6.100.1", later, "6.100.1"],
      ["7.0.0", later, "7.0.0"],
    ] as const
  ) {
    const manifest = manifestOf({}, { ...chosen && { provider: chosen } });
    assertEquals(providerOfState(manifest, providerFor(manifest), deployed), wanted);
  }
  for (
    const [chosen, deployed, written] of [
      ["6.99.9", later, "6.100.0"],
      ["6.19.0", six, "6.25.0"],
    ] as const
  ) {
    assertThrows(
      () => providerOfState(manifestOf({}, { provider: chosen }), chosen, deployed),
      Error,
      `Cannot use version ${chosen} of Terraform's provider: version ${written} has written the state of "app", and an older one cannot read it; set "provider" to "${written}" or a newer version`,
    );
  }
  assert(types.aws_cloudwatch_log_group!.arguments.includes("region"));
});
