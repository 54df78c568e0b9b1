import { assertEquals, assertMatch } from "@std/assert";
import { hasProgram, run, temporaryFolder } from "../testdata/programs.ts";

const folder = import.meta.dirname!;

/** Makes a folder for PATH with the Deno of this test, which may itself lie in a `node_modules`, where the script takes none. */
async function folderWithDeno(): Promise<string> {
  const path = temporaryFolder();
  await Deno.symlink(Deno.execPath(), `${path}/deno`);
  return path;
}

async function runScript(
  script: string,
  env: Record<string, string>,
  option = "--help",
  cwd = folder,
): Promise<[number, string]> {
  const { code, stdout, stderr } = await run(`${folder}/${script}`, [option], { env, cwd });
  return [code, stdout + stderr];
}

Deno.test("deploy.sh and undeploy.sh run the tool, and need no Terraform for the help", async () => {
  const deno = await folderWithDeno();
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
  const deno = await folderWithDeno();
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

Deno.test("deploy.sh runs no program that a package or a clone could put into PATH", async () => {
  const outside = temporaryFolder();
  await Deno.mkdir(`${folder}/.mate`, { recursive: true });
  const inside = await Deno.makeTempDir({ dir: `${folder}/.mate` }); // in the application
  const inPackages = `${outside}/node_modules/.bin`;
  const working = `${outside}/working`;
  const link = `${outside}/link`;
  const marker = `${outside}/marker`;
  try {
    await Deno.mkdir(inPackages, { recursive: true });
    await Deno.mkdir(working);
    await Deno.symlink(inPackages, link);
    for (const bin of [inside, inPackages, working]) {
      for (const name of ["deno", "dirname", "mkdir", "cp", "uname", "curl", "tar"]) {
        const script = `#!/bin/sh\necho "$0" >>'${marker}'\n`;
        await Deno.writeTextFile(`${bin}/${name}`, script, { mode: 0o755 });
      }
    }
    const rest = `${await folderWithDeno()}:/usr/bin:/bin`;
    const ways = [inside, `${inside}/`, inPackages, link, ".", "", "../working"];
    for (const script of ["deploy.sh", "undeploy.sh"]) {
      for (const way of ways) {
        const env = { PATH: `${way}:${rest}`, CDPATH: outside };
        const [code, output] = await runScript(script, env, "--help", working);
        const ran = await Deno.readTextFile(marker).catch(() => "nothing");
        assertEquals([code, ran], [0, "nothing"], `${way}: ${output}`);
        assertMatch(output, /Usage: mate (un)?deploy /);
      }
    }
  } finally {
    await Deno.remove(inside, { recursive: true });
  }
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
