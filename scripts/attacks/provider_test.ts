import { assertEquals, assertRejects } from "@std/assert";
import { Terraform } from "../../cli/deploy/terraform.ts";
import { writeProviderLock } from "../../cli/deploy/provider_lock.ts";
import { cloudEnvironment, missingTools } from "../../cli/deploy/testdata/cloud_tools.ts";
import { temporaryFolder } from "../../testdata/programs.ts";

const missing = (await missingTools()).filter((tool) => /^terraform$|provider/.test(tool));
if (missing.length > 0) {
  console.error(`NOT RUN: the attack with another provider of Terraform. Missing: ${missing}`);
}

const CONFIGURATION = {
  terraform: { required_providers: { aws: { source: "hashicorp/aws", version: "~> 5.100" } } },
  data: { aws_caller_identity: { me: {} } },
};

Deno.test({
  name: "Terraform runs no provider that another program has put in the place of the pinned one",
  ignore: missing.length > 0,
  async fn() {
    const folder = temporaryFolder();
    const mark = `${folder}/evil`;
    const variables = await cloudEnvironment(folder, "http://127.0.0.1:1");
    const terraform = new Terraform("terraform", folder, variables, new AbortController().signal);
    await Deno.writeTextFile(`${folder}/main.tf.json`, JSON.stringify(CONFIGURATION));
    const places = { folder, file: `${folder}/app.lock.hcl` };
    await writeProviderLock(places, { program: "terraform", provider: "5.100.0" });
    const init = () => terraform.read("init", "-no-color");
    await init();
    const place = `${folder}/.terraform/providers/registry.terraform.io/hashicorp/aws/5.100.0`;
    const [platform] = [...Deno.readDirSync(place)];
    const [program] = [...Deno.readDirSync(`${place}/${platform!.name}`)]
      .filter(({ name }) => name.startsWith("terraform-provider-aws"));
    const provider = `${place}/${platform!.name}`;
    await Deno.remove(provider, { recursive: true }); // a folder, or a link to the user's folder
    await Deno.mkdir(provider);
    const script = `#!/bin/sh\necho evil >'${mark}'\n`;
    await Deno.writeTextFile(`${provider}/${program!.name}`, script, { mode: 0o755 });
    await assertRejects(
      () => terraform.run(["plan"]),
      Error,
      "does not match any of the checksums",
    );
    await init();
    const evil = await Deno.stat(mark).then(() => "it ran", () => "it did not run");
    assertEquals(evil, "it did not run");
  },
});
