/** The requirements of the proof beside Deno. */
export interface Requirements {
  /** The names of what is missing, each with the way to get it. */
  readonly missing: readonly string[];
  /** The folder with Terraform's providers; `undefined` for the registry. */
  readonly plugins: string | undefined;
}

const PROVIDER = "registry.terraform.io/hashicorp/aws";

/** Looks for the programs and the provider that the proof needs. */
export async function findRequirements(): Promise<Requirements> {
  const path = (Deno.env.get("PATH") ?? "").split(":");
  const missing = [];
  for (const program of ["terraform", "moto_server", "pgrep"]) {
    if (!path.some((folder) => exists(`${folder}/${program}`))) missing.push(program);
  }
  const folders = [
    Deno.env.get("TF_PLUGIN_DIR"),
    `${Deno.env.get("HOME")}/.terraform.d/plugins`,
    "/usr/local/share/terraform/plugins",
    "/opt/tf-plugins",
  ];
  const plugins = folders.find((folder) => folder && exists(`${folder}/${PROVIDER}`));
  if (!plugins && !await isReachable("https://registry.terraform.io/.well-known/terraform.json")) {
    missing.push(`the provider hashicorp/aws (TF_PLUGIN_DIR=folder that holds ${PROVIDER}/)`);
  }
  return { missing, plugins };
}

function exists(path: string): boolean {
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
    return false; // without a connection the provider cannot be had either
  }
}
