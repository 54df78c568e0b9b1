import { assertEquals, assertMatch } from "@std/assert";
import manifestSchema from "./manifest/schema.json" with { type: "json" };
import { makeApp, serve } from "./testdata/bundle.ts";
import { denoProblem } from "./run_tool.ts";
import { CONFIG, mate, mateHere } from "./testdata/command.ts";
import { startProgram } from "../testdata/programs.ts";

/** Runs the tool. `logs` starts the tool again with fewer permissions, so it needs a process of its own. */
const run = (args: readonly string[]) => args[0] === "logs" ? mate(args) : mateHere(args);

Deno.test("mate names the wrong word and the nearest right word, and exits with 2", async () => {
  for (
    const [args, message] of [
      [[], /^Error: The command is missing\n\n[^]*Usage: mate COMMAND/],
      [["bundel"], /^Error: Unknown command "bundel": did you mean "bundle"\?\n$/],
      [["test"], /^Error: Unknown command "test": "deno task test" runs the tests\n$/],
      [["xyzzy"], /^Error: Unknown command "xyzzy": "mate --help" lists the commands\n$/],
      [["app.json"], /^Error: Unknown command "app\.json": did you mean "mate dev app\.json"\?\n$/],
      [
        ["dev", "--prot", "1"],
        /^Error: Unknown option "--prot" of "mate dev": did you mean "--port"\?\n$/,
      ],
      [["dev", "-p", "1"], /^Error: Unknown option "-p" of "mate dev"/],
      [["dev", "--port"], /^Error: The value of "--port" is missing: expected NUMBER\n$/],
      [["dev", "--port", "x"], /^Error: Invalid port "x": expected a number from 0 to 65535\n$/],
      [["dev", "--port=65536"], /^Error: Invalid port "65536"/],
      [["dev", "--verbose=1"], /^Error: Unexpected value of "--verbose": it is a switch\n$/],
      [["dev", "a.json", "b.json"], /^Error: Unexpected argument "b\.json"\n$/],
      [["new"], /^Error: The argument FOLDER is missing\n$/],
      [["new", "My Shop"], /^Error: Invalid name "My Shop": expected a lower-case letter/],
      [
        ["bundle", "--arch", "x86"],
        /^Error: Invalid --arch "x86": expected x86_64, arm64 or both\n$/,
      ],
      [["bundle", "--out", ""], /^Error: The value of "--out" is missing: expected FOLDER\n$/],
      [["invoke"], /^Error: The argument FUNCTION is missing\n$/],
      [["invoke", "okay", "--event", "{"], /^Error: Invalid event: /],
      [
        ["invoke", "okey", "examples/app.json"],
        /^Error: Unknown function "okey": did you mean "okay"\?\n$/,
      ],
      [["deploy"], /^Error: Cannot ask without a terminal: pass --yes or --plan\n$/],
      [["deploy", "--force"], /^Error: Unknown option "--force" of "mate deploy"\n$/],
      [
        ["undeploy", "--delte-data"],
        /^Error: Unknown option .*: did you mean "--delete-data"\?\n$/,
      ],
      [
        ["logs", "--since", "soon"],
        /^Error: Invalid --since "soon": expected a time such as 30s, /,
      ],
    ] as const
  ) {
    const { code, stdout, stderr } = await run(args);
    assertMatch(stderr, message);
    assertEquals([code, stdout], [2, ""], args.join(" "));
  }
});

Deno.test("mate says why a command fails, and exits with 1", async () => {
  for (
    const [args, message] of [
      [
        ["dev", "no/app.json"],
        /^Error: Cannot read the manifest "no\/app\.json": the file does not exist: run "mate new FOLDER", or name another file\n$/,
      ],
      [
        ["bundle"],
        /^Error: Cannot read the manifest "app\.json": the file does not exist: run "mate new FOLDER", or name another file\n$/,
      ],
      [
        ["invoke", "f", "deno.json"],
        /^Error: Cannot use the manifest "deno\.json":\n {2}line 1: "stage" .*\n[^]*"exports", ".* are not keys of a manifest: expected one of /,
      ],
      [["logs", "README.md"], /^Error: Cannot read the manifest "README\.md": /],
      [
        ["new", "examples"],
        /^Error: Cannot make the application in "examples": it has an application already: name a new folder, or run "mate dev" there\n$/,
      ],
      [
        ["new", "docs"],
        /^Error: Cannot make the application in "docs": it contains "[^"]+": name a new folder, or write "app\.json" there \("mate schema" prints its keys\)\n$/,
      ],
    ] as const
  ) {
    const { code, stdout, stderr } = await run(args);
    assertMatch(stderr, message);
    assertEquals([code, stdout], [1, ""], args.join(" "));
  }
});

Deno.test("mate prints its help, its version and the JSON Schema", async () => {
  const { code, stdout } = await mate(["--help"]);
  assertEquals(code, 0);
  const names = [...stdout.matchAll(/^ {2}(\w+) {2,}[A-Z]/gm)].map(([, name]) => name!);
  assertEquals(names.includes("dev"), true, stdout);
  for (const name of names) {
    const help = await mateHere([name, "--help"]);
    assertEquals(help.code, 0, name);
    assertMatch(help.stdout, new RegExp(`^[A-Z].*\\.\\n\\nUsage: mate ${name} .*\\[OPTIONS\\]\\n`));
    assertMatch(help.stdout, /^ {2}--help +Print this$/m);
    assertEquals(help.stdout.split("\n").every((line) => line.length <= 120), true, help.stdout);
  }
  assertMatch((await mate(["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
  const schema = await mate(["schema"]);
  assertEquals(JSON.parse(schema.stdout), manifestSchema);
});

Deno.test({
  name:
    "mate ends with the status of the signal that interrupts it, and leaves nothing half-written",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using app = await makeApp({ "one.ts": "export const handler = () => {};" }, {
      one: { module: "one.ts" },
    });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    await using registry = serve(() => {
      asked.resolve();
      return answer.promise;
    });
    // A module sets the registry, because the packages of the tool come from the real registry.
    await Deno.writeTextFile(
      `${app.folder}/main.ts`,
      `import { main } from ${JSON.stringify(new URL("main.ts", import.meta.url).href)};
      Deno.env.set("NPM_CONFIG_REGISTRY", "${registry.url}");
      Deno.env.set("XDG_CACHE_HOME", "cache");
      Deno.exit(await main(["bundle"]));`,
    );
    await using child = startProgram(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-lock", `--config=${CONFIG}`, "main.ts"],
      cwd: app.folder,
      env: { NO_COLOR: "1" },
      stdout: "piped",
      stderr: "piped",
    });
    const early = await Promise.race([asked.promise, child.status]);
    if (!early) child.kill("SIGTERM");
    const { code, stdout, stderr } = await child.output();
    answer.resolve(new Response());
    const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assertEquals([code, text], [143, ""]);
    assertEquals(await Deno.stat(`${app.folder}/dist`).catch((error) => error.name), "NotFound");
  },
});

Deno.test("denoProblem() names the wanted version if Deno is too old", () => {
  for (
    const [version, isOld] of [
      ["1.46.3", true],
      ["2.7.14", true],
      ["2.8.6", true],
      ["2.9.4", true],
      ["2.9.5", false],
      ["2.10.1", false],
      ["3.0.0", false],
      ["2.9.5-rc.1", false],
    ] as const
  ) {
    const problem = denoProblem(version);
    const line =
      `Cannot run on Deno ${version}: expected Deno 2.9.5 or later; "deno upgrade" installs it`;
    assertEquals(problem, isOld ? line : undefined, version);
  }
  assertEquals(denoProblem(), undefined);
});
