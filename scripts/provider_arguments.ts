/**
 * Writes `cli/deploy/testdata/provider_arguments.json`: what version 6 of Terraform's provider for AWS knows of the types that a
 * deployment has. It is read from the bindings of CDK for Terraform, because they are an npm package.
 *
 * Usage: `deno run -A scripts/provider_arguments.ts`
 *
 * @module
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CONSTRAINTS } from "../cli/deploy/provider.ts";
import { usedTypes } from "../cli/deploy/testdata/used_arguments.ts";
import { succeed } from "../testdata/programs.ts";

const BINDINGS = "@cdktf/provider-aws@21.22.1"; // the last ones
const LIST = new URL("../cli/deploy/testdata/provider_arguments.json", import.meta.url);

/** Returns the names of the arguments of a type or a block, and of its blocks, as paths. */
function* argumentsIn(source: string, body: string, path = ""): Generator<string> {
  for (const [, name, value] of body.matchAll(/^ +(\w+): (.+),$/gm)) {
    yield path + name;
    const block = /\b(\w+ToTerraform)\b/.exec(value!.replaceAll(/cdktf\.\w+/g, ""))?.[1];
    if (block === undefined) continue;
    const [, inner] = new RegExp(`^function ${block}\\([^]*?^ {4}return \\{([^]*?)^ {4}\\};`, "m")
      .exec(source)!;
    yield* argumentsIn(source, inner!, `${path}${name}.`);
  }
}

if (import.meta.main) {
  const folder = await Deno.makeTempDir();
  await succeed("npm", ["install", "--no-save", "--ignore-scripts", BINDINGS], { cwd: folder });
  const types: Record<string, { arguments: string[]; attributes: string[] }> = {};
  for (const type of await usedTypes()) {
    const name = type.replace(/^data\.aws_/, "data-aws-").replace(/^aws_/, "").replaceAll("_", "-");
    const file = ["", "-resource"].map((end) =>
      `${folder}/node_modules/@cdktf/provider-aws/lib/${
        name === "aws" ? "provider" : name
      }${end}/index.js`
    ).find(existsSync);
    if (file === undefined) throw new Error(`The bindings have no type ${type}`);
    const source = await Deno.readTextFile(file);
    const version = /providerVersion: '([\d.]+)'/.exec(source)![1];
    if (version !== CONSTRAINTS[6]) throw new Error(`The bindings are those of ${version}`);
    const [all, body] = /^ {4}synthesizeAttributes\(\) \{\n {8}return \{([^]*?)^ {4}\}/m.exec(
      source,
    )!;
    const main = source.slice(source.lastIndexOf("\nclass "), source.indexOf(all));
    types[type] = {
      arguments: [...argumentsIn(source, body!)],
      attributes: [...main.matchAll(/this\.get\w+Attribute\('(\w+)'\)/g)].map(([, one]) => one!),
    };
  }
  await Deno.remove(folder, { recursive: true });
  await Deno.writeTextFile(
    LIST,
    `${JSON.stringify({ provider: CONSTRAINTS[6], types }, null, 2)}\n`,
  );
  console.error(`Wrote ${fileURLToPath(LIST)}`);
}
