import { dirname, join, normalize } from "node:path";
import { ifThere } from "../programs/downloads.ts";
import { backendOf } from "./root_module.ts";

/** What this tool and Terraform write to the folder of a deployment. Terraform reads many other files, and runs what they say. */
const OWN: readonly RegExp[] = [
  /^(application\.tf\.json|main\.tf\.json|\.gitignore|\.terraform\.lock\.hcl)$/, // written again before each run
  /^(module|bundles|plan|place|unfinished|\.terraform)$/,
  /^(terraform|errored)\.tfstate$/,
  /^terraform\.tfstate\.(\d+\.)?backup$/,
  /^(\.terraform\.tfstate\.lock\.info|crash(\.\d+)?\.log|\.DS_Store)$/,
];

/** What Terraform writes to its folder `.terraform`. The checksums of providers are compared before each run. */
const OWN_OF_TERRAFORM = [/^(providers|modules|terraform\.tfstate(\.backup)?|\.DS_Store)$/];

/** The folders of the modules of {@linkcode writeRootModule}, by their keys. */
const MODULES: Readonly<Record<string, string>> = {
  "": ".",
  application: "module",
  infra: "../../../infra",
};

/** The keys of a backend that the tool itself writes. Other keys can name a program that gives keys. */
const BACKEND_KEYS = ["region", ...Object.keys(backendOf("s3://bucket/key").s3!)];

/**
 * Checks that a folder of a deployment has no file that someone else has put there, such as the author of a clone. Terraform
 * would read it beside the keys of the cloud.
 *
 * @param folder The folder in `.mate/deploy` beside the manifest.
 * @throws {Error} If there is another file, a link, or a setting of Terraform that is not the tool's. The message names it.
 */
export async function checkOwnFiles(folder: string): Promise<void> {
  for (const path of [dirname(dirname(folder)), dirname(folder), folder]) await refuseLink(path);
  await checkNames(folder, OWN);
  await checkNames(`${folder}/.terraform`, OWN_OF_TERRAFORM);
  await checkNames(`${folder}/bundles`, [/^/]); // for links
  const backendFile = `${folder}/.terraform/terraform.tfstate`;
  const { backend } = await readJson(backendFile) as { backend?: { config?: object } };
  for (const [key, value] of Object.entries(backend?.config ?? {})) {
    if (value === null || BACKEND_KEYS.includes(key)) continue;
    throw refusal(backendFile, `it sets "${key}" for the state, and the tool never does`);
  }
  const modulesFile = `${folder}/.terraform/modules/modules.json`;
  const { Modules = [] } = await readJson(modulesFile) as {
    Modules?: readonly { readonly Key: string; readonly Dir: string }[];
  };
  for (const { Key, Dir } of Modules) {
    const own = MODULES[Key];
    // Only infra can name modules below it.
    if (own === undefined ? Key.startsWith("infra.") : normalize(Dir) === own) continue;
    throw refusal(modulesFile, `it names the folder "${Dir}" for the module "${Key}"`);
  }
}

async function checkNames(folder: string, own: readonly RegExp[]): Promise<void> {
  const names = await ifThere(Array.fromAsync(Deno.readDir(folder), ({ name }) => name)) ?? [];
  for (const name of names) {
    const path = join(folder, name);
    if (!own.some((pattern) => pattern.test(name))) {
      throw refusal(path, "neither the tool nor Terraform has written it there");
    }
    await refuseLink(path);
  }
}

/** Refuses a link, which could lead to a file that is not the tool's. */
export async function refuseLink(path: string): Promise<void> {
  const info = await ifThere(Deno.lstat(path));
  if (info?.isSymlink) throw refusal(path, "it is a link");
}

function refusal(path: string, reason: string): Error {
  return new Error(
    `Cannot deploy with "${path}": ${reason}, so it may be an attack; look at it, and delete it or move it elsewhere`,
  );
}

async function readJson(file: string): Promise<unknown> {
  const text = await ifThere(Deno.readTextFile(file));
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    throw refusal(file, "it is not JSON");
  }
}
