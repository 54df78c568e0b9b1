import { temporaryFolder } from "../../../testdata/programs.ts";
import { resolveApplication } from "../../application/resolve.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import { FULL } from "../../testdata/manifest.ts";
import { DEPLOYED, writeRootModule } from "../root_module.ts";

/** What Terraform's files name, such as `aws_lambda_function.vpc_config.subnet_ids`. */
export interface Used {
  readonly arguments: Set<string>;
  readonly attributes: Set<string>;
}

/** The arguments that Terraform itself has. */
const OF_TERRAFORM = /^(count|for_each|depends_on|lifecycle|provider)$/;

/** Finds the arguments and attributes of the provider that the module and the root module name. */
export async function usedArguments(): Promise<Used> {
  const used = { arguments: new Set<string>(), attributes: new Set<string>() };
  const folder = temporaryFolder();
  const application = resolveApplication(parseManifest(FULL, "app.json"), DEPLOYED);
  await writeRootModule(folder, { application, provider: "6.25.0" });
  for await (const { name } of Deno.readDir(`${folder}/module`)) {
    readFile(await Deno.readTextFile(`${folder}/module/${name}`), used);
  }
  const text = await Deno.readTextFile(`${folder}/main.tf.json`);
  const { data, provider, resource } = JSON.parse(text);
  for (const [prefix, types] of [["data.", data], ["", resource], ["", { aws: provider }]]) {
    for (const [type, ones] of Object.entries<Record<string, object>>(types)) {
      for (const one of Object.values(ones)) {
        Object.keys(one).forEach((key) => used.arguments.add(`${prefix}${type}.${key}`));
        if (Object.keys(one).length === 0) used.arguments.add(`${prefix}${type}`);
      }
    }
  }
  readAttributes(text, used);
  return used;
}

/** The types that {@linkcode usedArguments} finds, with the provider itself as `aws`. */
export async function usedTypes(): Promise<string[]> {
  const { arguments: names, attributes } = await usedArguments();
  const types = [...names, ...attributes].map((path) => /^(data\.)?\w+/.exec(path)![0]);
  return [...new Set(types)].sort();
}

/** Reads a file that `terraform fmt` has formatted. So each block and each argument has a line of its own. */
function readFile(text: string, used: Used): void {
  const code = text.replaceAll(/^\s*#.*$/gm, "");
  for (
    const [, data, type, body] of code.matchAll(
      /^(resource|data) "(aws_\w+)" "\w+" \{\n([^]*?)^\}/gm,
    )
  ) {
    const blocks: string[] = [];
    for (const line of withoutValues(body!)) {
      const [, name, bracket] = /^\s*(?:dynamic )?"?(\w+)"? +(=|\{)/.exec(line) ?? [];
      if (line.trim() === "}") blocks.pop();
      if (name === undefined) continue;
      const path = [...blocks, name].filter((one) => one !== "content");
      const isOwn = !blocks.includes("lifecycle") && !OF_TERRAFORM.test(name) && name !== "content";
      if (isOwn) used.arguments.add([data === "data" ? `data.${type}` : type, ...path].join("."));
      if (bracket === "{") blocks.push(name);
    }
  }
  readAttributes(code, used);
}

/** Returns the lines of a block, without the further lines of values. */
function* withoutValues(body: string): Generator<string> {
  let depth = 0;
  for (const line of body.split("\n")) {
    if (depth === 0) yield line;
    const isBlock = depth === 0 && !line.includes("=");
    if (isBlock) continue;
    const code = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'); // a text may have brackets, too
    depth += code.match(/[[({]/g)?.length ?? 0;
    depth -= code.match(/[\])}]/g)?.length ?? 0;
  }
}

function readAttributes(text: string, used: Used): void {
  const references = /\b((?:data\.)?aws_\w+)\.\w+(?:\[(?:[^[\]]|\[[^\]]*\])*\])?\.(\w+)/g;
  for (const [, type, name] of text.matchAll(references)) used.attributes.add(`${type}.${name}`);
}
