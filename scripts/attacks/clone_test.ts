import { assertEquals, assertMatch } from "@std/assert";
import { dirname } from "node:path";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { mate } from "../../cli/testdata/command.ts";
import { cloudEnvironment, missingTools } from "../../cli/deploy/testdata/cloud_tools.ts";
import { temporaryFolder } from "../../testdata/programs.ts";

const missing = (await missingTools()).filter((tool) => /^terraform$|provider/.test(tool));
if (missing.length > 0) {
  console.error(`NOT RUN: the attack with files of Terraform in .mate. Missing: ${missing}`);
}

/** A profile whose program gives the keys. `HERE` stands for the folder of the application. */
const PROFILE =
  "[profile evil]\ncredential_process = HERE/evil\n[evil]\ncredential_process = HERE/evil\n";

const PROVIDER = `provider "aws" {
  profile             = "evil"
  shared_config_files = ["HERE/profile"]
}
`;

const READS_STATE = JSON.stringify({
  data: {
    terraform_remote_state: {
      other: {
        backend: "s3",
        config: {
          ...{ bucket: "b", key: "k", region: "eu-west-1" },
          ...{ profile: "evil", shared_config_files: ["HERE/profile"] },
        },
      },
    },
  },
});

const BACKEND = JSON.stringify({
  version: 3,
  terraform_version: "1.11.4",
  backend: {
    type: "s3",
    config: {
      ...{ bucket: "b", key: "k", region: "eu-west-1" },
      ...{ profile: "evil", shared_config_files: ["HERE/profile"] },
    },
  },
});

const MODULES = JSON.stringify({
  Modules: [{ Key: "", Source: "", Dir: "." }, {
    Key: "application",
    Source: "./module",
    Dir: "../../../elsewhere",
  }],
});

/** What a clone has in `.mate/deploy/app`, and the part of the error message that names it. */
const CLONES: readonly (readonly [file: string, text: string, named?: string])[] = [
  ["zz_override.tf", PROVIDER],
  ["other.tf.json", READS_STATE],
  ["terraform.tfvars", 'name = "x"'],
  [".terraformrc", "disable_checkpoint = true"],
  ["terraform.d/plugins/x", "", "terraform.d"],
  [".terraform/plugin_path", "[]"],
  [".terraform/terraform.tfstate", BACKEND],
  [".terraform/modules/modules.json", MODULES],
];

Deno.test({
  name: "no file of Terraform that came with a clone runs beside the keys",
  ignore: missing.length > 0,
  async fn(t) {
    const folder = temporaryFolder();
    const env = await cloudEnvironment(folder, "http://127.0.0.1:1");
    const clone = async (files: Readonly<Record<string, string>>) => {
      const app = await makeApp({ ...files, "one.js": "export const handler = () => 1;" }, {
        one: { module: "one.js" },
      });
      for (const path of Object.keys(files)) {
        const text = await Deno.readTextFile(`${app.folder}/${path}`);
        await Deno.writeTextFile(`${app.folder}/${path}`, text.replaceAll("HERE", app.folder));
      }
      await Deno.writeTextFile(`${app.folder}/profile`, PROFILE.replaceAll("HERE", app.folder));
      const evil = `#!/bin/sh\nenv >"${app.folder}/ran"\n`;
      await Deno.writeTextFile(`${app.folder}/evil`, evil, { mode: 0o755 });
      return app;
    };
    const plan = async (cwd: string) => {
      const { stdout, stderr } = await mate(["deploy", "--plan"], { cwd, env });
      const ran = await Deno.readTextFile(`${cwd}/ran`).catch(() => "it did not run");
      assertEquals(ran, "it did not run", stdout + stderr);
      return stderr;
    };
    for (const [file, text, named = file] of CLONES) {
      await t.step(file, async () => {
        await using app = await clone({
          [`.mate/deploy/app/${file}`]: text,
          "elsewhere/main.tf": PROVIDER,
        });
        const stderr = await plan(app.folder);
        assertMatch(stderr, /^Error: Cannot deploy with ".*": /m);
        assertEquals(stderr.includes(`.mate/deploy/app/${named}"`), true, stderr);
      });
    }
    for (
      const link of [".mate", ".mate/deploy", ".mate/deploy/app", ".mate/deploy/app/main.tf.json"]
    ) {
      await t.step(`a link ${link}`, async () => {
        await using app = await clone({});
        const outside = temporaryFolder();
        await Deno.mkdir(dirname(`${app.folder}/${link}`), { recursive: true });
        await Deno.symlink(outside, `${app.folder}/${link}`);
        const stderr = await plan(app.folder);
        assertEquals(stderr.includes(`${link}": it is a link`), true, stderr);
        assertEquals([...Deno.readDirSync(outside)], []);
      });
    }
  },
});
