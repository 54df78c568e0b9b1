/**
 * Writes `cli/deploy/testdata/provider_arguments.json`: what version 6 of Terraform's provider for AWS knows of the types that a
 * deployment has.
 *
 * Usage: `deno run -A scripts/provider_arguments.ts`
 *
 * @module
 */
import { PUBLISHED } from "../cli/deploy/provider.ts";
import { usedTypes } from "../cli/deploy/testdata/used_arguments.ts";
import { succeed, temporaryFolder } from "../testdata/programs.ts";

/** The schema of a type or a block, as `terraform providers schema -json` prints it. */
interface Schema {
  readonly block: {
    readonly attributes?: Readonly<Record<string, object>>;
    readonly block_types?: Readonly<Record<string, Schema>>;
  };
}

/** Returns the names of the arguments of a type or a block, and of its blocks, as paths. */
function* argumentsIn({ block }: Schema, path = ""): Generator<string> {
  for (const [name, settings] of Object.entries(block.attributes ?? {})) {
    if ("required" in settings || "optional" in settings) yield path + name;
  }
  for (const [name, schema] of Object.entries(block.block_types ?? {})) {
    yield path + name;
    yield* argumentsIn(schema, `${path}${name}.`);
  }
}

const cwd = temporaryFolder();
const version = Object.keys(PUBLISHED).at(-1)!;
const aws = { source: "hashicorp/aws", version };
const main = { terraform: { required_providers: { aws } } };
await Deno.writeTextFile(`${cwd}/main.tf.json`, JSON.stringify(main));
await succeed("terraform", ["init"], { cwd });
const output = await succeed("terraform", ["providers", "schema", "-json"], { cwd });
const [known] = Object.values<Record<string, Record<string, Schema>>>(
  JSON.parse(output).provider_schemas,
);
const { provider, resource_schemas: resources, data_source_schemas: data } = known!;
const types = (await usedTypes()).map((type) => {
  const schema = type === "aws" ? provider : resources![type] ?? data![type.replace("data.", "")];
  const attributes = Object.keys((schema as Schema).block.attributes ?? {});
  return [type, { arguments: [...argumentsIn(schema as Schema)], attributes }];
});
await Deno.writeTextFile(
  new URL("../cli/deploy/testdata/provider_arguments.json", import.meta.url),
  `${JSON.stringify({ provider: version, types: Object.fromEntries(types) }, null, 2)}\n`,
);
