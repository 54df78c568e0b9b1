import { assertEquals, assertMatch } from "@std/assert";
import { hasProgram, run, temporaryFolder } from "../testdata/programs.ts";

const folder = import.meta.dirname!;

async function runScript(
  script: string,
  env: Record<string, string>,
  option = "--help",
): Promise<[number, string]> {
  const { code, stdout, stderr } = await run(`${folder}/${script}`, [option], { env });
  return [code, stdout + stderr];
}

Deno.test("deploy.sh and undeploy.sh run the tool, and need no Terraform for the help", async () => {
  const deno = Deno.execPath().replace(/\/deno$/, "");
  for (const script of ["deploy.sh", "undeploy.sh"]) {
    const [code, output] = await runScript(script, { PATH: `${deno}:/usr/bin:/bin` });
    assertEquals(code, 0, output);
    assertMatch(output, /Usage: mate (un)?deploy /);
  }
});

Deno.test("deploy.sh runs Terraform with the keys, and names a region that is missing", async () => {
  const programs = temporaryFolder();
  const script = '#!/bin/sh\n[ "$1" = --version ] && echo "Terraform v1.11.4" && exit\n' +
    'echo "The key is $AWS_SECRET_ACCESS_KEY" >&2\nexit 1\n';
  await Deno.writeTextFile(`${programs}/terraform`, script, { mode: 0o755 });
  const deno = Deno.execPath().replace(/\/deno$/, "");
  const env = {
    PATH: `${programs}:${deno}:${Deno.env.get("PATH")}`,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_REGION: "",
    AWS_DEFAULT_REGION: "",
    AWS_CONFIG_FILE: "none",
    AWS_SHARED_CREDENTIALS_FILE: "none",
  };
  assertEquals(await runScript("deploy.sh", env, "--plan"), [
    1,
    'Error: The region is missing: set "region" in the manifest, or AWS_REGION\n',
  ]);
  const [code, output] = await runScript(
    "deploy.sh",
    { ...env, AWS_REGION: "eu-west-1" },
    "--plan",
  );
  assertEquals(code, 1);
  assertMatch(output, /Error: terraform init failed\n\nThe key is secret\n$/);
});

Deno.test("deploy.sh refuses a Deno with a wrong checksum", async () => {
  const requests: string[] = [];
  await using registry = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    ({ url }) => {
      requests.push(new URL(url).pathname);
      return new Response("something else");
    },
  );
  const programs = temporaryFolder(); // without Deno
  for (const name of ["sh", "dirname", "uname", "mkdir", "rm", "curl", "cut", "sha512sum"]) {
    const { stdout } = await run("which", [name]);
    await Deno.symlink(stdout.trim(), `${programs}/${name}`);
  }
  const [code, output] = await runScript("deploy.sh", {
    PATH: programs,
    XDG_CACHE_HOME: programs,
    NPM_CONFIG_REGISTRY: `http://127.0.0.1:${registry.addr.port}/`,
  });
  assertEquals(code, 1, output);
  assertMatch(
    output,
    /Error: Cannot use "http.*\.tgz": its checksum is "\w{128}", not the pinned/,
  );
  assertMatch(requests.join(), /^\/@deno\/[\w-]+\/-\/[\w.-]+\.tgz$/);
});

Deno.test({
  name: "shellcheck finds nothing in the scripts",
  ignore: !await hasProgram("shellcheck", "shellcheck of deploy.sh and undeploy.sh"),
  async fn() {
    const { code, stdout } = await run("shellcheck", ["deploy.sh", "undeploy.sh"], { cwd: folder });
    assertEquals([code, stdout], [0, ""]);
  },
});
