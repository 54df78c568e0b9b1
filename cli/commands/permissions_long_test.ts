import { assertEquals, assertMatch } from "@std/assert";
import { dirname } from "node:path";
import { copyDeno, run, temporaryFolder } from "../../testdata/programs.ts";
import { makeApp } from "../testdata/bundle.ts";
import { CONFIG, mate } from "../testdata/command.ts";

/** The attempts of a malicious package. Each prints its name if Deno permits it. */
const ATTEMPTS = `{
  program: () => new Deno.Command("id").output(),
  library: () => Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", { getpid: { parameters: [], result: "i32" } }),
  "file of the user": () => Deno.readTextFile(Deno.env.get("HOME") + "/.ssh"),
  "file of another program": () => Deno.readTextFile(OTHER),
  "write outside": () => Deno.writeTextFile("/var/tmp/mate-attempt", ""),
  "write to the application": () => Deno.writeTextFile("attempt", ""),
  host: () => fetch("http://example.invalid"),
  "foreign code": () => import("http://127.0.0.1:1/" + "code.js"),
  "change a program": () => Deno.writeTextFile(Deno.execPath(), "", { append: true }),
  "replace a program": () => Deno.rename("node_modules", "packages"),
  key: () => Deno.env.get("AWS_SECRET_ACCESS_KEY"),
  manifest: () => Deno.readTextFile("app.json"),
  region: () => Deno.env.get("AWS_REGION"),
  "temporary file": () => Deno.makeTempFile(),
  "members of a workspace": () => import("node:path").then((path) => path.matchesGlob("apps/shop", "apps/*")),
}`;

/** A program that says the version of Terraform. */
const TERRAFORM = "#!/bin/sh\necho Terraform v1.11.4\n";

Deno.test("a command with the keys of a cloud has only its own permissions, also if the tool has all", async () => {
  await using app = await makeApp({}, {});
  // A program can lie below the application, such as the package "deno" of npm.
  const deno = `${app.folder}/node_modules/deno/deno`;
  await Deno.mkdir(dirname(deno), { recursive: true });
  await copyDeno(deno);
  const home = temporaryFolder(); // below the folder of temporary files
  const programs = temporaryFolder();
  await Deno.writeTextFile(`${programs}/terraform`, TERRAFORM, { mode: 0o755 });
  await Deno.writeTextFile(`${home}/.ssh`, "");
  await Deno.writeTextFile(`${home}/other`, "");
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url));
  for (
    const [name, permitted] of [
      ["deployPermissions", ["manifest", "region", "temporary file", "members of a workspace"]],
      ["sdkPermissions", ["key", "manifest", "region", "members of a workspace"]],
    ] as const
  ) {
    await Deno.writeTextFile(
      `${app.folder}/tool.ts`,
      `import { runTool } from ${url("../run_tool.ts")};
      import * as all from ${url("deploy_permissions.ts")};
      import * as others from ${url("aws.ts")};
      const OTHER = ${JSON.stringify(`${home}/other`)};
      const run = async (_positionals, _values, { print }) => {
        for (const [name, act] of Object.entries(${ATTEMPTS})) {
          await Promise.try(act).then(() => print(name), (error) => {
            if (!error.message.startsWith("Requires ")) print(name + ": " + error);
          });
        }
        return true;
      };
      const permissions = () => ({ ...all, ...others }).${name}("app.json");
      const command = { name: "attempt", arguments: [], summary: "", options: {}, permissions, run };
      Deno.exit(await runTool([command], Deno.args));`,
    );
    const args = ["-A", "--no-lock", "--no-check", `--config=${CONFIG}`, "tool.ts", "attempt"];
    const env = {
      AWS_REGION: "eu-west-1",
      AWS_SECRET_ACCESS_KEY: "secret",
      PATH: `${programs}:${Deno.env.get("PATH")}`,
    };
    const program = name === "deployPermissions" ? deno : Deno.execPath();
    for (const HOME of [Deno.env.get("HOME") ?? "", home]) {
      const { code, stdout, stderr } = await run(program, ["run", ...args], {
        cwd: app.folder,
        env: { ...env, HOME },
      });
      assertEquals([code, stderr], [0, ""], name);
      assertEquals(stdout.trim().split("\n"), [...permitted], name);
    }
  }
});

Deno.test("a command with the keys of a cloud refuses to read the home, or to run what it may replace", async () => {
  const home = temporaryFolder();
  const app = `${home}/app`;
  for (const folder of [home, app]) {
    await Deno.mkdir(`${folder}/.mate/bin`, { recursive: true });
    await Deno.writeTextFile(`${folder}/app.json`, "{}");
  }
  await Deno.writeTextFile(`${app}/.mate/bin/terraform`, TERRAFORM, { mode: 0o755 });
  await Deno.mkdir(`${home}/bin`);
  await Deno.symlink(`${app}/.mate/bin/terraform`, `${home}/bin/terraform`);
  const module = new URL("deploy_permissions.ts", import.meta.url).pathname;
  const attempt = async (folder: string, path: string) => {
    const env = { AWS_REGION: "x", AWS_ACCESS_KEY_ID: "x", HOME: home, PATH: path };
    const options = { env, cwd: folder };
    return (await run(Deno.execPath(), ["run", "-A", module, "app.json"], options)).stderr;
  };
  assertMatch(
    await attempt(home, "/usr/bin"),
    /^Error: Cannot work with the keys of your cloud in ".*": the folder contains your home folder/m,
  );
  assertMatch(
    await attempt(app, `${home}/bin`),
    /^Error: Cannot run ".*terraform" beside the keys of your cloud: a deployment may write to ".*\.mate"/m,
  );
});

Deno.test("a deployment takes the bundles of earlier runs, with its own permissions", async () => {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url));
  await using app = await makeApp({
    "deno.json": `{ "workspace": ["shop"] }`,
    "shop/deno.json": "{}",
    "shop/app.json": "{}",
    "shop/one.ts":
      `import { Hono } from "npm:hono@4.10.1"; export const handler = () => new Hono();`,
    "shop/two.ts": `import ws from "npm:ws@8.18.3"; export const handler = () => ws;`, // has optional packages
    "shop/index.ts": "export const handler = 1;", // also the module of a folder
    "shop/tool.ts": `import { bundleModules } from ${url("../bundle/modules/module_bundle.ts")};
      import { Kept } from ${url("../programs/kept.ts")};
      const { Command } = Deno;
      Deno.Command = class extends Command {
        constructor(program, options) {
          super(program, options);
          if (options.args.some((arg) => arg.includes("bundler/main.ts"))) console.log("bundled");
        }
      };
      const kept = new Kept(console.log);
      const bundles = await bundleModules(["one.ts", "two.ts", "index.ts"], { folder: ".", kept });
      console.log(bundles.length);`,
  }, {});
  const cwd = `${app.folder}/shop`;
  const programs = temporaryFolder();
  await Deno.writeTextFile(`${programs}/terraform`, TERRAFORM, { mode: 0o755 });
  const cache = temporaryFolder();
  await Deno.mkdir(`${cache}/mate/tmp`, { recursive: true });
  const { denoDir } = JSON.parse((await run(Deno.execPath(), ["info", "--json"])).stdout);
  const env = {
    AWS_ACCESS_KEY_ID: "x",
    AWS_REGION: "x",
    DENO_DIR: denoDir,
    PATH: `${programs}:${Deno.env.get("PATH")}`,
    TMPDIR: `${cache}/mate/tmp`,
    XDG_CACHE_HOME: cache,
  };
  const module = new URL("deploy_permissions.ts", import.meta.url).pathname;
  const start = async (...args: string[]) => {
    const all = ["run", "--quiet", ...args];
    const { code, stdout, stderr } = await run(Deno.execPath(), all, { cwd, env });
    assertEquals([code, stderr], [0, ""]);
    return stdout.trim().split("\n");
  };
  // A bundle is not kept if its packages are downloaded meanwhile.
  for (const path of ["one.ts", "two.ts"]) await start("-A", path);
  const flags = await start("-A", module, "app.json");
  const tool = [...flags, "--no-lock", "--no-check", `--config=${CONFIG}`, "tool.ts"];
  assertEquals(await start(...tool), ["bundled", "3"]);
  // Another test may download another version of a package meanwhile, and then the bundles are made again.
  let lines = await start(...tool);
  for (let rest = 3; rest > 0 && lines.includes("bundled"); rest--) lines = await start(...tool);
  assertEquals(lines, ["3"]);
});

Deno.test("mate loads no package before a command runs", async () => {
  const { code, stderr } = await mate(["--help"], { flags: ["--no-npm"] });
  assertEquals([code, stderr], [0, ""]);
});
