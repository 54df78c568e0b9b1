import { type Terraform, TerraformError } from "./terraform.ts";

/**
 * Refuses to delete anything if a resource of the folder `infra` has `prevent_destroy`.
 *
 * @throws {Error} The message says what to do.
 */
export async function checkDestroyable(terraform: Terraform): Promise<void> {
  try {
    await terraform.run(["plan", "-destroy"]);
  } catch (error) {
    if (!(error instanceof TerraformError)) throw error;
    const addresses = new Set(
      error.diagnostics.flatMap(({ detail = "" }) =>
        /^Resource (\S+) has lifecycle\.prevent_destroy/.exec(detail)?.[1] ?? []
      ),
    );
    if (addresses.size === 0) throw error;
    const names = [...addresses].join(", ");
    const quoted = [...addresses].map((address) => `'${address}'`).join(" ");
    const message = [
      `Cannot delete ${names}: "prevent_destroy" in the folder infra forbids it, so nothing was deleted.`,
      'To delete the resource with its data, remove "prevent_destroy" in infra/, and run "mate undeploy" again.',
      'To keep the resource in the account, let Terraform forget it, and run "mate undeploy" again:',
      `  ${terraform.program} -chdir="${terraform.folder}" state rm ${quoted}`,
    ].join("\n");
    throw new Error(message, { cause: error });
  }
}
