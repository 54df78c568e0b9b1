/** What the proof needs besides Deno: the programs, and a place where Terraform finds its provider. */
export interface Tools {
  /** The names of what is missing, each with how to get it. */
  readonly missing: readonly string[];
  /** The folders of the PATH. */
  readonly path: readonly string[];
  /** The folder that holds Terraform's providers; `undefined` for its registry. */
  readonly plugins: string | undefined;
}

const PROVIDER = "registry.terraform.io/hashicorp/aws";

/** Where plugins usually are, after the folder that a variable names. */
function pluginFolders(): string[] {
  const home = Deno.env.get("HOME") ?? "";
  return [
    Deno.env.get("TF_PLUGIN_DIR") ?? "",
    `${home}/.terraform.d/plugins`,
    `${home}/.local/share/terraform/plugins`,
    "/usr/local/share/terraform/plugins",
    "/usr/share/terraform/plugins",
    "/opt/tf-plugins",
    "/opt/terraform/plugins",
  ].filter((folder) => folder !== "");
}

/** Whether there is such a file or folder. */
export function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    throw error;
  }
}

async function isReachable(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // whatever the reason, there is no provider to be had from there
  }
}

/** Looks for what the proof needs. */
export async function findTools(): Promise<Tools> {
  const path = (Deno.env.get("PATH") ?? "").split(":");
  const has = (program: string) => path.some((folder) => exists(`${folder}/${program}`));
  const missing = [];
  if (!has("terraform") && !has("tofu")) missing.push("terraform (or tofu), 1.10 or later");
  if (!has("moto_server")) missing.push('moto_server (pip install "moto[server]")');
  for (const program of ["bash", "curl", "unzip", "setsid"]) {
    if (!has(program)) missing.push(program);
  }
  const plugins = pluginFolders().find((folder) => exists(`${folder}/${PROVIDER}`));
  if (!plugins && !await isReachable("https://registry.terraform.io/.well-known/terraform.json")) {
    missing.push(`the provider hashicorp/aws (TF_PLUGIN_DIR=folder that holds ${PROVIDER}/)`);
  }
  return { missing, path, plugins };
}
