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
    const names = [...addresses];
    const message = `Cannot delete ${names.join(", ")}: the folder infra sets "prevent_destroy".
Remove it there, or let Terraform forget the resource, which then stays in your account:
  terraform -chdir="${terraform.folder}" state rm ${names.map((name) => `'${name}'`).join(" ")}`;
    throw new Error(message, { cause: error });
  }
}
