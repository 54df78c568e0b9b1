import { assertEquals, assertRejects } from "@std/assert";
import { findProgram } from "../platform/isolation/program.ts";
import { checkDestroyable } from "./protected.ts";
import { Terraform } from "./terraform.ts";

const program = await findProgram("terraform");
if (program === undefined) console.error("NOT RUN: prevent_destroy, because terraform is missing");

Deno.test({
  name: "checkDestroyable() names what may not be deleted, and how Terraform forgets it",
  ignore: program === undefined,
  async fn() {
    const folder = await Deno.makeTempDir();
    const env = { TF_CLI_CONFIG_FILE: "/dev/null" };
    const terraform = new Terraform(program!, folder, env, new AbortController().signal);
    const write = (isProtected: boolean) =>
      Deno.writeTextFile(
        `${folder}/main.tf.json`,
        JSON.stringify({
          resource: { terraform_data: { notes: { lifecycle: { prevent_destroy: isProtected } } } },
        }),
      );
    try {
      await write(true);
      await terraform.read("init", "-no-color");
      await terraform.run(["apply", "-auto-approve"]);
      const error = await assertRejects(() => checkDestroyable(terraform), Error);
      assertEquals(error.message.split("\n"), [
        'Cannot delete terraform_data.notes: "prevent_destroy" in the folder infra forbids it, so nothing was deleted.',
        'To delete the resource with its data, remove "prevent_destroy" in infra/, and run "mate undeploy" again.',
        'To keep the resource in the account, let Terraform forget it, and run "mate undeploy" again:',
        `  ${program} -chdir="${folder}" state rm 'terraform_data.notes'`,
      ]);
      await write(false);
      await checkDestroyable(terraform);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
