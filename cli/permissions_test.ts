import { assertEquals } from "@std/assert";
import { run } from "../testdata/programs.ts";
import { makeApp } from "./testdata/bundle.ts";
import { CONFIG, mate } from "./testdata/command.ts";

/** The attempts of a malicious package. Each prints its name if Deno permits it. */
const ATTEMPTS = `{
  program: () => new Deno.Command("id").output(),
  library: () => Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", { getpid: { parameters: [], result: "i32" } }),
  "file of the user": () => Deno.readTextFile(Deno.env.get("HOME") + "/.ssh"),
  "write outside": () => Deno.writeTextFile("/var/tmp/mate-attempt", ""),
  host: () => fetch("http://example.invalid"),
  "foreign code": () => import("http://127.0.0.1:1/" + "code.js"),
  "change a program": () => Deno.writeTextFile(Deno.execPath(), "", { append: true }),
  key: () => Deno.env.get("AWS_SECRET_ACCESS_KEY"),
  manifest: () => Deno.readTextFile("app.json"),
  region: () => Deno.env.get("AWS_REGION"),
}`;

Deno.test("a command with the keys of a cloud has only its own permissions, also if the tool has all", async () => {
  await using app = await makeApp({}, {});
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url));
  for (
    const [name, permitted] of [
      ["deployPermissions", ["manifest", "region"]],
      ["sdkPermissions", ["key", "manifest", "region"]],
    ] as const
  ) {
    await Deno.writeTextFile(
      `${app.folder}/tool.ts`,
      `import { runTool } from ${url("run_tool.ts")};
      import * as all from ${url("commands/deploy_permissions.ts")};
      import * as others from ${url("commands/aws.ts")};
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
    const { code, stdout, stderr } = await run(Deno.execPath(), ["run", ...args], {
      cwd: app.folder,
      env: { AWS_REGION: "eu-west-1", AWS_SECRET_ACCESS_KEY: "secret" },
    });
    assertEquals([code, stderr], [0, ""]);
    assertEquals(stdout.trim().split("\n"), [...permitted], name);
  }
});

Deno.test({
  name: "mate loads no package before a command runs",
  ignore: Deno.version.deno.startsWith("2.8."), // refuses packages that are loaded later, too
  async fn() {
    const { code, stderr } = await mate(["--help"], { flags: ["--no-npm"] });
    assertEquals([code, stderr], [0, ""]);
  },
});
