import { existsSync } from "node:fs";
import { findProgram } from "../../programs/find_program.ts";
import { endWithTest } from "./end_with_test.ts";

const PROVIDER = "registry.terraform.io/hashicorp/aws";
const REGISTRY = "https://registry.terraform.io/.well-known/terraform.json";

/** The folder with Terraform's providers; without it, they come from the registry. */
const plugins = [Deno.env.get("TF_PLUGIN_DIR"), "/opt/tf-plugins"]
  .find((folder) => folder && existsSync(`${folder}/${PROVIDER}`));

/** Whether Terraform finds a version of the provider. */
export function hasProvider(version: string): boolean {
  return plugins === undefined || existsSync(`${plugins}/${PROVIDER}/${version}`);
}

/** The programs and files for a deployment to the emulated cloud that this machine lacks. */
export async function missingTools(): Promise<string[]> {
  const missing: string[] = [];
  for (const program of ["terraform", "moto_server", "pgrep"]) {
    if (!await findProgram(program)) missing.push(program);
  }
  if (!plugins && !await fetch(REGISTRY).then((response) => response.bytes(), () => undefined)) {
    missing.push(`the provider hashicorp/aws (TF_PLUGIN_DIR=folder that holds ${PROVIDER}/)`);
  }
  return missing;
}

/**
 * Lets Terraform find the provider 5.100.0 as another version, too. No other version is on this machine, and the real ones differ
 * only in what they know.
 *
 * @param folder That of {@linkcode cloudEnvironment}.
 * @returns Whether it is possible: not with the registry.
 */
export async function mirrorProviderAs(folder: string, version: string): Promise<boolean> {
  if (plugins === undefined) return false;
  const mirror = `${folder}/plugins`;
  for (const [name, original] of [["5.100.0", "5.100.0"], [version, "5.100.0"]] as const) {
    for await (const { name: system } of Deno.readDir(`${plugins}/${PROVIDER}/${original}`)) {
      await Deno.mkdir(`${mirror}/${PROVIDER}/${name}`, { recursive: true });
      await Deno.symlink(
        `${plugins}/${PROVIDER}/${original}/${system}`,
        `${mirror}/${PROVIDER}/${name}/${system}`,
      );
    }
  }
  await writeSource(folder, `filesystem_mirror {\n path = "${mirror}"\n }`);
  return true;
}

const writeSource = (folder: string, source: string) =>
  Deno.writeTextFile(`${folder}/terraform.rc`, `provider_installation {\n ${source}\n}\n`);

/**
 * The variables that Terraform and the AWS tools read. Their settings are written to the folder. A program with these variables
 * ends at the latest with this process.
 */
export async function cloudEnvironment(
  folder: string,
  endpoint: string,
): Promise<Record<string, string>> {
  const source = plugins ? `filesystem_mirror {\n path = "${plugins}"\n }` : "direct {}";
  await writeSource(folder, source);
  endWithTest(`TF_CLI_CONFIG_FILE=${folder}/terraform.rc`);
  return {
    TF_CLI_CONFIG_FILE: `${folder}/terraform.rc`,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_REGION: "eu-west-1",
    AWS_EC2_METADATA_DISABLED: "true",
  };
}
