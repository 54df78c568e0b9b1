/** The logger in processes of its own: bundled, on Deno and Node.js, with what the platform sets for them. */
import { assert, assertEquals, assertMatch } from "@std/assert";

const directory = await Deno.makeTempDir();
addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

/** Two copies of the module, as a function and the runtime that loads it have. */
const COPIES = [`${directory}/one.js`, `${directory}/two.js`];
for (const copy of COPIES) {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--no-config",
      "--minify",
      "-o",
      copy,
      new URL("mod.ts", import.meta.url).href,
    ],
  }).output();
  if (!success) throw new Error(`Cannot bundle the logger: ${new TextDecoder().decode(stderr)}`);
}

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

const RUNTIMES: Record<string, string[]> = {
  Deno: [Deno.execPath(), "run", "--no-config", "--no-prompt", "--allow-env", `--allow-read`],
  "Node.js": ["node"],
};
if (!await exists("node")) {
  delete RUNTIMES["Node.js"];
  console.error("NOT CHECKED: the logger on Node.js, for there is no `node` on the PATH");
}

async function exists(command: string): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args: ["--version"] }).output()).success;
  } catch {
    return false;
  }
}

/** Runs a script in which `one` and `two` are the copies; `shell` says what becomes of its output. */
async function run(
  command: string[],
  script: string,
  env: Record<string, string> = {},
  shell = "",
): Promise<Outcome> {
  const file = await Deno.makeTempFile({ dir: directory, suffix: ".mjs" });
  await Deno.writeTextFile(
    file,
    `import * as one from "./one.js"; import * as two from "./two.js"; ${script}`,
  );
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", `"$@" ${shell}`, "sh", ...command, file],
    env: { PATH: Deno.env.get("PATH")!, HOME: directory, NO_COLOR: "1", ...env },
    clearEnv: true,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

for (const [runtime, command] of Object.entries(RUNTIMES)) {
  Deno.test(`${runtime}: text from level INFO on, where the platform sets nothing`, async () => {
    const { stdout, stderr, code } = await run(
      command,
      `one.logger.debug("no"); one.logger.info("100%% of %s\\nyes", { a: 1 });`,
    );
    assertEquals({ stderr, code }, { stderr: "", code: 0 });
    assertMatch(
      stdout,
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\t\tINFO\t100%% of %s\ryes {"a":1}\n$/,
    );
  });

  Deno.test(`${runtime}: JSON of the level that the platform sets`, async () => {
    const { stdout } = await run(
      command,
      `one.logger.info("no"); one.logger.warn("yes\\n", 1n); console.log(one.logger.level);`,
      { AWS_LAMBDA_LOG_FORMAT: "JSON", AWS_LAMBDA_LOG_LEVEL: "warn" },
    );
    const [line, level] = stdout.split("\n");
    const { timestamp, ...record } = JSON.parse(line!);
    assertEquals(new Date(timestamp).toISOString(), timestamp);
    assertEquals(record, { level: "WARN", requestId: "", message: "yes\n", data: "1" });
    assertEquals(level, "WARN");
  });

  Deno.test(`${runtime}: an unknown level is INFO, an unknown format text`, async () => {
    const { stdout } = await run(
      command,
      `one.logger.debug("no"); one.logger.info("yes");`,
      { AWS_LAMBDA_LOG_FORMAT: "XML", AWS_LAMBDA_LOG_LEVEL: "verbose" },
    );
    assertMatch(stdout, /^\S+\t\tINFO\tyes\n$/);
  });

  Deno.test(`${runtime}: two copies in one process share level and request id`, async () => {
    const { stdout, stderr } = await run(
      command,
      `
      two.logger.level = "error";
      const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
      const invoke = (id) => one.withRequestId(id, async () => {
        await pause();
        two.logger.error("first");
        await two.withRequestId(id, async () => { await pause(); one.logger.info("no"); });
        one.logger.error("last");
      });
      if (one.logger === two.logger) throw new Error("one copy");
      await invoke("alone");
      await Promise.all([invoke("a"), invoke("b")]);
      one.logger.error("outside");
      `,
    );
    assertEquals(stderr, "");
    const records = stdout.trimEnd().split("\n").map((line) => line.split("\t"));
    const of = (id: string) =>
      records.filter((record) => record[1] === id).map((record) => record[3]);
    assertEquals(of("alone"), ["first", "last"]);
    assertEquals(of("a"), ["first", "last"]);
    assertEquals(of("b"), ["first", "last"]);
    assertEquals(of(""), ["outside"]);
    assertEquals(records.length, 7);
  });

  for (
    const [output, shell] of [
      ["a full device", ">/dev/full"],
      ["a closed output", ">&-"],
      ["a reader that went away", "| true"],
    ] as const
  ) {
    Deno.test(`${runtime}: logging to ${output} does no harm`, async () => {
      const { stderr } = await run(
        command,
        `
        for (let turn = 0; turn < 50; turn++) {
          one.logger.info("x".repeat(10_000));
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        console.error("alive");
        `,
        {},
        shell,
      );
      assertEquals(stderr, "alive\n");
    });
  }

  Deno.test(`${runtime}: a console that was sent to the logger takes no record away`, async () => {
    const { stdout, stderr } = await run(
      command,
      `console.log = (...values) => two.logger.info(...values);
      one.logger.warn("own");
      console.log("of a library", 1);`,
    );
    assertEquals(stderr, "");
    assertMatch(stdout, /^\S+\t\tWARN\town\n\S+\t\tINFO\tof a library 1\n$/);
  });

  Deno.test(`${runtime}: a scope keeps the process no longer than its function`, async () => {
    const { code, stdout } = await run(
      command,
      `await one.withRequestId("a", async () => {}); one.logger.info("done");`,
    );
    assertEquals(code, 0);
    assertMatch(stdout, /\t\tINFO\tdone\n$/);
  });
}

Deno.test("Deno: without permission to read the environment the defaults count, unasked", async () => {
  const { stdout, stderr, code } = await run(
    // Without --no-prompt, for reading a denied variable may stop at a prompt.
    [Deno.execPath(), "run", "--no-config", `--allow-read=${directory}`],
    `one.logger.debug("no"); one.logger.info("yes");`,
    { AWS_LAMBDA_LOG_FORMAT: "JSON", AWS_LAMBDA_LOG_LEVEL: "DEBUG" },
  );
  assertEquals({ stderr, code }, { stderr: "", code: 0 });
  assertMatch(stdout, /^\S+\t\tINFO\tyes\n$/);
});

Deno.test("Deno: the permission for the two variables is enough", async () => {
  const { stdout } = await run(
    [
      Deno.execPath(),
      "run",
      "--no-config",
      "--no-prompt",
      "--allow-env=AWS_LAMBDA_LOG_FORMAT,AWS_LAMBDA_LOG_LEVEL",
    ],
    `one.logger.debug("yes"); one.withRequestId("a", () => two.withRequestId("b", () => one.logger.info("b")));`,
    { AWS_LAMBDA_LOG_FORMAT: "JSON", AWS_LAMBDA_LOG_LEVEL: "DEBUG" },
  );
  const [first, second] = stdout.split("\n").slice(0, 2).map((line) => JSON.parse(line));
  assertEquals([first.level, first.message], ["DEBUG", "yes"]);
  assertEquals([second.requestId, second.message], ["b", "b"]);
});

if (RUNTIMES["Node.js"]) {
  Deno.test("Node.js: records go past a console that puts a prefix of its own before them", async () => {
    const { stdout } = await run(
      RUNTIMES["Node.js"]!,
      `console.log = console.info = console.error = () => process.stdout.write("prefixed");
       one.logger.error("plain");`,
    );
    assertMatch(stdout, /^\S+\t\tERROR\tplain\n$/);
  });

  Deno.test("Node.js: the id of the managed runtime is used outside a scope", async () => {
    const { stdout } = await run(
      RUNTIMES["Node.js"]!,
      `globalThis.awslambda = { InvokeStore: { getRequestId: () => "managed" } };
       one.logger.info("x"); one.withRequestId("own", () => one.logger.info("x"));`,
    );
    assertEquals(stdout.trimEnd().split("\n").map((line) => line.split("\t")[1]), [
      "managed",
      "own",
    ]);
  });
}

Deno.test("the bundle names nothing of one runtime alone", async () => {
  const bundle = await Deno.readTextFile(COPIES[0]!);
  assert(!/\bDeno\.[a-z]/.test(bundle));
  assert(!/\bfrom\s*"/.test(bundle) && !/\brequire\(/.test(bundle), "it imports nothing");
});
