import { assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import "../../testdata/own_environment.ts";
import { manifestWith } from "../testdata/platform.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { resolveApplication } from "../application/resolve.ts";
import { checkOwnFiles } from "./own_files.ts";
import { DEPLOYED, writeRootModule } from "./root_module.ts";

/** A folder of a deployment with files. */
async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = `${temporaryFolder()}/.mate/deploy/app`;
  for (const [path, text] of Object.entries(files)) {
    const file = `${folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  return folder;
}

const backend = (type: string, config: object) => JSON.stringify({ backend: { type, config } });

const modules = (...list: readonly (readonly [key: string, folder: string])[]) =>
  JSON.stringify({ Modules: list.map(([Key, Dir]) => ({ Key, Dir })) });

Deno.test("checkOwnFiles() takes what the tool and Terraform write", async () => {
  await checkOwnFiles(`${temporaryFolder()}/.mate/deploy/new`);
  const folder = await makeFolder({
    // The names are those that Terraform 1.11 writes.
    ...Object.fromEntries(
      [
        ...["terraform.tfstate", "terraform.tfstate.backup", "terraform.tfstate.1763900000.backup"],
        ...[".terraform.tfstate.lock.info", "errored.tfstate", "crash.log", "crash.12.log"],
        ...[".terraform.lock.hcl", ".gitignore", "plan", "place", "unfinished", "bundles/one.zip"],
        ...["main.tf.json", "application.tf.json", "module/gateway.tf", ".terraform/providers/x"],
      ].map((name) => [name, ""]),
    ),
    ".terraform/terraform.tfstate": backend("s3", {
      ...{ bucket: "b", key: "k", encrypt: true, use_lockfile: true, use_path_style: false },
      ...{ profile: null, region: null },
    }),
    ".terraform/modules/modules.json": modules(
      ["", "."],
      ["application", "module"],
      ["infra", "../../../infra"],
      ["infra.vpc", ".terraform/modules/infra.vpc"],
    ),
  });
  await checkOwnFiles(folder);
});

Deno.test("checkOwnFiles() refuses each file that only somebody else can have written", async () => {
  for (
    const [file, text, reason] of [
      ["a.tf", "", "neither the tool nor Terraform has written it there"],
      ["xmain.tf.json", "", "neither the tool nor Terraform has written it there"],
      ["main.tf.json.tf", "", "neither the tool nor Terraform has written it there"],
      [".terraform/plugin_path", "", "neither the tool nor Terraform has written it there"],
      [
        ".terraform/terraform.tfstate",
        backend("s3", { bucket: "b", shared_config_files: ["x"] }),
        'it sets "shared_config_files" for the state, and the tool never does',
      ],
      [
        ".terraform/terraform.tfstate",
        backend("http", { address: "http://x" }),
        'it sets "address" for the state, and the tool never does',
      ],
      [".terraform/terraform.tfstate", "{", "it is not JSON"],
      [
        ".terraform/modules/modules.json",
        modules(["application", "module/../../x"]),
        'it names the folder "module/../../x" for the module "application"',
      ],
      [
        ".terraform/modules/modules.json",
        modules(["application.x", "x"]),
        'it names the folder "x" for the module "application.x"',
      ],
    ] as const
  ) {
    const folder = await makeFolder({ [file]: text });
    await assertRejects(
      () => checkOwnFiles(folder),
      Error,
      `Cannot deploy with "${folder}/${file}": ${reason}, so it may be an attack; look at it, and delete it or move it elsewhere`,
    );
  }
});

Deno.test("checkOwnFiles() refuses a link in the place of each folder and file", async () => {
  const files = { "main.tf.json": "", ".terraform/providers/x": "", "bundles/one.zip": "" };
  const places = ["../..", "..", ".", "main.tf.json", "bundles", "bundles/one.zip"];
  for (const place of [...places, ".terraform", ".terraform/providers"]) {
    const folder = await makeFolder(files);
    const [path, moved] = [join(folder, place), join(folder, "../../../moved")];
    await Deno.rename(path, moved);
    await Deno.symlink(moved, path);
    const message = `Cannot deploy with "${path.replace(/\/$/, "")}": it is a link`;
    await assertRejects(() => checkOwnFiles(folder), Error, message, place);
  }
});

Deno.test("writeRootModule() removes what is not a file of the module", async () => {
  const folder = await makeFolder({ "module/evil.tf": "", "module/more/evil.tf": "" });
  const manifest = manifestWith({ one: { module: "one.ts" } });
  await writeRootModule(folder, {
    application: resolveApplication(manifest, DEPLOYED),
    provider: "5.100.0",
  });
  const names = [...Deno.readDirSync(`${folder}/module`)].map(({ name }) => name);
  assertEquals(names.filter((name) => /evil|more/.test(name)), []);
  assertEquals(names.includes("gateway.tf"), true);
});
