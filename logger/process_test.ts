/** Tests of the bundled logger in processes of Deno and Node.js, with the variables that AWS Lambda sets. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { hasProgram, run } from "../testdata/programs.ts";
import { COPIES, directory, runScript, RUNTIMES } from "./testdata/process.ts";

/** Only Linux has this device. */
const FULL_DEVICE = [["a full device", ">/dev/full"]] as const;
if (Deno.build.os !== "linux") console.warn("NOT RUN: the logger on a full device");

for (const [runtime, command] of Object.entries(RUNTIMES)) {
  Deno.test(`${runtime}: without variables, records are text of level INFO or higher, and the process ends`, async () => {
    const { stdout, stderr, code } = await runScript(
      command,
      `await one.withRequestId("a", async () => one.logger.debug("no"));
       one.logger.info("100%% of %s\\nyes", { a: 1 });`,
    );
    assertEquals({ stderr, code }, { stderr: "", code: 0 });
    const [time, ...record] = stdout.split("\t");
    assertEquals(new Date(time!).toISOString(), time);
    assertEquals(record, ["", "INFO", '100%% of %s\ryes {"a":1}\n']);
  });

  Deno.test(`${runtime}: the variables set format and level`, async () => {
    const { stdout } = await runScript(
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

  Deno.test(`${runtime}: two copies in one process share level and request id`, async () => {
    const { stdout, stderr } = await runScript(
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
    assertEquals(records.map(([, id, , message]) => `${id}: ${message}`).sort(), [
      ": outside",
      ...["a", "alone", "b"].flatMap((id) => [`${id}: first`, `${id}: last`]),
    ]);
  });

  const cases = [
    ...(Deno.build.os === "linux" ? FULL_DEVICE : []),
    ["a closed output", ">&-"],
    ["a reader that went away", "| true"],
  ] as const;
  for (const [output, shell] of cases) {
    Deno.test(`${runtime}: the process survives logging to ${output}`, async () => {
      const { stderr } = await runScript(
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

  Deno.test(`${runtime}: no record is lost if console.log() calls the logger`, async () => {
    const { stdout, stderr } = await runScript(
      command,
      `console.log = (...values) => two.logger.info(...values);
      one.logger.warn("own");
      console.log("of a library", 1);`,
    );
    assertEquals(stderr, "");
    assertMatch(stdout, /^\S+\t\tWARN\town\n\S+\t\tINFO\tof a library 1\n$/);
  });
}

if (await hasProgram("script", "the logger on a terminal")) {
  Deno.test("on a terminal, the lines of a record end with a line feed, and Deno shows no prompt", async () => {
    const file = `${directory}/terminal.mjs`;
    await Deno.writeTextFile(file, `import * as one from "./one.js"; one.logger.info("a\\nb");`);
    for (const command of [`${Deno.execPath()} run --no-config`, RUNTIMES["Node.js"]?.join(" ")]) {
      if (command === undefined) continue;
      const args = ["-qec", `${command} ${file}`, "/dev/null"];
      const signal = AbortSignal.timeout(20_000); // a prompt would wait for an answer
      const env = { AWS_LAMBDA_LOG_LEVEL: "INFO" };
      const { stdout } = await run("script", args, { signal, env });
      assertMatch(stdout, /^\S+\t\tINFO\ta\r?\nb\r?\n$/, command);
    }
  });
}

Deno.test("Deno: the first request does not read process, because that takes milliseconds", async () => {
  const { stdout } = await runScript(
    RUNTIMES["Deno"]!,
    `Object.defineProperty(globalThis, "process", { get: () => { throw new Error("touched"); } });
     one.withRequestId("a", () => one.logger.info("yes"));`,
  );
  assertMatch(stdout, /^\S+\ta\tINFO\tyes\n$/);
});

Deno.test("Deno: the permission for the two variables is enough", async () => {
  const variables = "AWS_LAMBDA_LOG_FORMAT,AWS_LAMBDA_LOG_LEVEL";
  const { stdout } = await runScript(
    [Deno.execPath(), "run", "--no-config", "--no-prompt", `--allow-env=${variables}`],
    `one.logger.debug("yes");
     one.withRequestId("a", () => two.withRequestId("b", () => one.logger.info("b")));`,
    { AWS_LAMBDA_LOG_FORMAT: "JSON", AWS_LAMBDA_LOG_LEVEL: "DEBUG" },
  );
  const [first, second] = stdout.split("\n").slice(0, 2).map((line) => JSON.parse(line));
  assertEquals([first.level, first.message], ["DEBUG", "yes"]);
  assertEquals([second.requestId, second.message], ["b", "b"]);
});

Deno.test("Deno: if the permission is missing or revoked, the defaults apply", async () => {
  const { stdout } = await runScript(
    [Deno.execPath(), "run", "--no-config", "--no-prompt", "--allow-env"],
    `one.logger.debug("granted");
     Deno.permissions.revokeSync({ name: "env" });
     one.withRequestId("", () => one.logger.debug("dropped"));
     one.logger.info("given up");
     two.logger.info("never granted");`,
    { AWS_LAMBDA_LOG_LEVEL: "DEBUG" },
  );
  const lines = stdout.trimEnd().split("\n").map((line) => line.replace(/^\S+\t\t/, ""));
  assertEquals(lines, ["DEBUG\tgranted", "INFO\tgiven up", "INFO\tnever granted"]);
});

if (RUNTIMES["Node.js"]) {
  Deno.test("Node.js: records do not go through the console, which adds a prefix", async () => {
    const { stdout } = await runScript(
      RUNTIMES["Node.js"]!,
      `console.log = console.info = console.error = () => process.stdout.write("prefixed");
       one.logger.error("plain");`,
    );
    assertMatch(stdout, /^\S+\t\tERROR\tplain\n$/);
  });
}

Deno.test("the bundle names no runtime", async () => {
  const bundle = await Deno.readTextFile(COPIES[0]!);
  assert(!/\bDeno\.[a-z]/.test(bundle));
  assert(!/\bfrom\s*"/.test(bundle) && !/\brequire\(/.test(bundle), "it imports nothing");
});
