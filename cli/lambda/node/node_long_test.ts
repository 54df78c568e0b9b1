import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { applicationOf, hasNamespace, NODE_RUNTIMES, startApp } from "../../testdata/sandbox.ts";
import { startProgram } from "../../../testdata/programs.ts";
import { until } from "../../../testdata/waiting.ts";
import { plainFolders } from "../isolation/isolation.ts";
import { GROUP_ID, USER_ID } from "../isolation/root_folder.ts";
import { processesOf } from "../sandbox/measure.ts";

/** A function that ends in each way. AWS's client of the Runtime API says what comes of it. */
const MODULE = `
import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
export const stream = awslambda.streamifyResponse(async (event, stream) => {
  const head = { statusCode: 201, headers: { "content-type": "text/plain" } };
  const body = awslambda.HttpResponseStream.from(stream, head);
  for (const part of ["one", "two"]) body.write(part);
  body.end();
});
export const callback = (event, context, callback) => callback(null, event);
const WAYS = {
  value: () => ({ a: "ü".repeat(3) }),
  nothing: () => undefined,
  generator: async function* () { yield 1; },
  throw: () => { throw new TypeError("bad"); },
  never: () => new Promise(() => {}),
  reject: async () => {
    Promise.reject(new Error("late"));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  },
  "exit 0": () => process.exit(0),
  "exit 3": () => process.exit(3),
  killed: () => process.kill(process.pid, "SIGKILL"),
  "after the answer": () => { setImmediate(() => setImmediate(() => process.exit(4))); return "answered"; },
  large: () => "x".repeat(6_291_554),
  "too large": () => "x".repeat(6_291_555),
  memory: async () => {
    for (const kept = [];;) {
      kept.push(new Uint8Array(1e6).fill(1));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  },
  "memory of a program": () => new Promise(() => {
    const code = "const kept = []; setInterval(() => kept.push(new Uint8Array(4e6).fill(1)), 2);";
    spawn(process.execPath, ["-e", code]);
  }),
  tmp: () => {
    for (let count = 0;; count++) writeFileSync("/tmp/" + count, new Uint8Array(1e6));
  },
  processes: () => readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length,
  environment: () => process.env,
  "a program": () => void spawn("sleep", ["infinity"], { detached: true, stdio: "ignore" }).unref(),
  warning: () => { process.emitWarning("own"); return new Promise((resolve) => setTimeout(resolve, 5)); },
};
export const handler = async (way) => WAYS[way]();
`;

/** What comes of each way: the failure, the type of the error and its message, or the result. Node.js 22 has an older client. */
const ENDS: readonly (readonly [string, failure: string | undefined, RegExp, of22?: RegExp])[] = [
  ["value", undefined, /^\{"a":"üüü"\}$/],
  ["nothing", undefined, /^null$/],
  ["generator", undefined, /^\{\}$/],
  ["throw", "error", /^\{"errorType":"TypeError","errorMessage":"bad","trace":\["TypeError: bad",/],
  ["never", "exit", /Runtime exited without providing a reason/, /^null$/],
  [
    "reject",
    "exit",
    /exited with error: exit status 1"/,
    /"Runtime.UnhandledPromiseRejection".*late/,
  ],
  ["exit 0", "exit", /Runtime exited without providing a reason/],
  ["exit 3", "exit", /Runtime exited with error: exit status 3"/],
  ["killed", "exit", /Runtime exited with error: signal: killed"/],
  ["large", undefined, /^"xxx/],
  ["too large", "too large", /"Function.ResponseSizeTooLarge"/],
  ["after the answer", undefined, /^"answered"$/],
];

for (const runtime of NODE_RUNTIMES) {
  const isOld = runtime === "nodejs22.x";

  Deno.test(`${runtime}: a function runs as AWS's client and AWS Lambda say`, async (t) => {
    const environment = { MINE: "$HOME 'x'", NODE_OPTIONS: "--enable-source-maps" };
    const settings = { runtime, timeout: 60, environment };
    await using app = await startApp(MODULE, settings);
    await t.step("the variables, the options and the log", async () => {
      const { json } = await app.invoke("environment");
      const { AWS_EXECUTION_ENV, HOME, MINE, NODE_OPTIONS } = json as Record<string, string>;
      const found = [AWS_EXECUTION_ENV, HOME, MINE, NODE_OPTIONS];
      assertEquals(found, [`AWS_Lambda_${runtime}`, "/tmp", "$HOME 'x'", "--enable-source-maps"]);
      const { json: error } = await app.invoke("throw");
      assertMatch((error as { trace: string[] }).trace[1]!, /one\.ts:\d+:/, "a line of the author");
      assertEquals(app.log.filter((line) => /Warning|flag/i.test(line)), []);
      await app.invoke("warning");
      assertMatch(app.log.join("\n"), /Warning: own/);
    });
    await t.step({
      name: "too much memory or disk, also of a program, is its end",
      ignore: !hasNamespace,
      async fn() {
        for (const way of ["memory", "memory of a program"]) {
          const { failure, json } = await app.invoke(way);
          const expected = ["exit", "Runtime.OutOfMemory"];
          assertEquals([failure, (json as Failure).errorType], expected, way);
        }
        const { json } = await app.invoke("tmp");
        assertMatch((json as Failure).errorMessage, /\/tmp holds more than 512 MB/);
        assertEquals((await app.invoke("processes")).json, 2, "itself, and the one that sleeps");
      },
    });
    for (const [way, failure, expected, of22 = expected] of ENDS) {
      await t.step(`the end of each way: ${way}`, async () => {
        const outcome = await app.invoke(way);
        assertMatch(new TextDecoder().decode(outcome.payload), isOld ? of22 : expected);
        const isOther = isOld && of22 !== expected;
        assertEquals(outcome.failure, isOther ? (way === "never" ? undefined : "error") : failure);
      });
    }
    await t.step("a streamed response has its head and its parts", async () => {
      await app.host.reload(applicationOf({ ...settings, handler: "stream" }));
      const outcome = await app.host.invoke("one", new TextEncoder().encode("{}"));
      assertEquals([outcome.failure, outcome.isStream], [undefined, true]);
      const head = '{"statusCode":201,"headers":{"content-type":"text/plain"}}';
      assertEquals(new TextDecoder().decode(outcome.payload), `${head}${"\0".repeat(8)}onetwo`);
    });
    await t.step("a handler with a callback works on Node.js 22 only", async () => {
      await app.host.reload(applicationOf({ ...settings, handler: "callback" }));
      const { json, failure } = await app.invoke("called");
      if (isOld) assertEquals([json, failure], ["called", undefined]);
      else assertEquals((json as Failure).errorType, "Runtime.CallbackHandlerDeprecated");
    });
    await t.step({
      name: "freezing stops the programs of a function, and its end ends them",
      ignore: !hasNamespace,
      async fn() {
        await app.host.reload(applicationOf(settings));
        await app.invoke("a program");
        const sandbox = app.host.sandboxesOf("one").find((one) => one.isFrozen);
        const pids = processesOf(sandbox!.pid);
        assertEquals(pids.length, 4);
        const states = () =>
          pids.map((pid) =>
            /^State:\t(\w)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1]
          );
        const areStopped = () => states().every((state) => state === "T");
        await until("the stop", areStopped, () => `${states()}`);
        await app[Symbol.asyncDispose]();
        const isThere = (pid: number) => Deno.stat(`/proc/${pid}`).then(() => true, () => false);
        for (const pid of pids) await until("the end", async () => !await isThere(pid));
      },
    });
  });

  Deno.test({
    name: `${runtime}: in a namespace, a function may call what AWS Lambda lets it call`,
    ignore: !hasNamespace,
    async fn() {
      const module = `
        import { execFileSync } from "node:child_process";
        import * as fs from "node:fs";
        import { Session } from "node:inspector";
        import { Worker } from "node:worker_threads";
        const withFile = (use) => {
          const file = fs.openSync("/tmp/file", "w");
          try { use(file); } finally { fs.closeSync(file); }
        };
        const WAYS = {
          symlink: () => fs.symlinkSync("../var/task/index.mjs", "/tmp/link"),
          link: () => fs.readFileSync("/tmp/link"),
          fsync: () => withFile((file) => fs.fsyncSync(file)),
          fdatasync: () => withFile((file) => fs.fdatasyncSync(file)),
          fchmod: () => withFile((file) => fs.fchmodSync(file, 0o600)),
          futimes: () => withFile((file) => fs.futimesSync(file, 1, 1)),
          inspector: () => { const own = new Session(); own.connect(); own.disconnect(); },
          signal: () => process.kill(process.ppid, 0),
          program: () => execFileSync(process.execPath, ["-e", ""]),
          worker: () => new Promise((resolve, reject) => {
            const worker = new Worker("console.log('of the worker')", { eval: true });
            worker.on("error", reject).on("exit", resolve);
          }),
        };
        export const handler = async () => {
          const refused = [];
          for (const [way, call] of Object.entries(WAYS)) {
            try { await call(); } catch (error) { refused.push([way, String(error)]); }
          }
          return refused;
        };`;
      await using app = await startApp(module, { runtime });
      assertEquals((await app.invoke()).json, []);
      const lines = app.log.filter((line) => !/^(?:INIT_)?(?:START|END|REPORT)\b/.test(line));
      assertEquals(lines.map((line) => line.replace(/^.*\t/, "").trim()), ["of the worker"]);
    },
  });

  Deno.test(`${runtime}: without a namespace, a function gets its folders and process, and no program, worker, add-on or database`, async () => {
    const module = `
      import { execSync } from "node:child_process";
      import { readFileSync, writeFileSync } from "node:fs";
      import { getPriority, setPriority } from "node:os";
      import { setFlagsFromString } from "node:v8";
      import { Worker } from "node:worker_threads";
      const WAYS = {
        program: () => execSync("true"),
        worker: () => new Worker("0", { eval: true }),
        "add-on": () => process.dlopen({ exports: {} }, "/tmp/none.node"),
        read: () => readFileSync("/etc/passwd"),
        write: () => writeFileSync("/var/tmp/mate-test", ""),
        options: () => process.permission.has("child") || process.permission.has("fs.read", "/etc"),
        tmp: () => writeFileSync("/tmp/mate-test-" + process.pid, ""),
        kill: (pid) => process.kill(pid, "SIGKILL"),
        "kill by a number that changes": (pid) => {
          let count = 0;
          process.kill({ valueOf: () => ++count < 3 ? process.pid : pid }, "SIGKILL");
        },
        _kill: (pid) => process._kill(pid, 9),
        "kill the group": () => process.kill(0, 0),
        debug: (pid) => process._debugProcess(pid),
        "end debugging": () => process._debugEnd(),
        "set a function": () => { "use strict"; process._kill = () => 0; },
        "define a function": () => Object.defineProperty(process, "_kill", { value: () => 0 }),
        binding: () => process.binding("process_methods"),
        priority: (pid) => setPriority(pid, 19),
        "own priority": () => setPriority(getPriority()),
        "own process": () => process.kill(process.pid, 0),
        abort: () => process.abort(),
        "kill itself": () => process.kill(process.pid, "SIGKILL"),
        database: async () => {
          const { DatabaseSync } = await import("node:sqlite");
          new DatabaseSync(":memory:").exec("ATTACH DATABASE '/var/tmp/mate-test.db' AS other");
        },
        backup: () => process.getBuiltinModule("node:sqlite").backup({}, "/var/tmp/mate-test.db"),
        "allowed flags": () => {
          setFlagsFromString("--no-lazy  --no-flush_bytecode");
          setFlagsFromString("--expose_gc");
          setFlagsFromString("--max-old-space-size=400");
          setFlagsFromString("--stack-size=" + 900);
        },
        "a flag": () => setFlagsFromString("--redirect-code-traces-to=/var/tmp/mate-test"),
        "a flag after another one": () => setFlagsFromString("--no-lazy --logfile=/var/tmp/mate-test"),
        "a flag with a value apart": () => setFlagsFromString("--no-lazy\\t--logfile /var/tmp/mate-test"),
        "a flag that changes": () => {
          let count = 0;
          setFlagsFromString({ toString: () => ++count < 2 ? "--no-lazy" : "--prof" });
        },
        "a flag of one dash": () => setFlagsFromString("-prof"),
        "a flag by the module": () => process.getBuiltinModule("v8").setFlagsFromString("--log-all"),
        "a flag by a prototype": () => {
          Object.prototype.toString = RegExp.prototype.test = Array.prototype.every = () => true;
          setFlagsFromString("--prof");
        },
        snapshot: () => process.getBuiltinModule("v8").setHeapSnapshotNearHeapLimit(1),
      };
      export const handler = async ([way, pid]) => await WAYS[way](pid) ?? "done";`;
    const notes: string[] = [];
    await using app = await startApp(
      module,
      { runtime, environment: { NODE_OPTIONS: "--allow-fs-read=* --allow-child-process" } },
      { log: ({ functionName, text }) => functionName || notes.push(text) },
      plainFolders("a test needs this"),
    );
    for (const way of ["program", "worker", "add-on", "read", "write"]) {
      const { json, failure } = await app.invoke([way]);
      assertEquals(failure, "error", `${way}: ${JSON.stringify(json)}`);
      const rule = way === "read" || way === "write"
        ? /may read its own files/
        : /"one".*namespace/;
      assertMatch(notes.at(-1)!, rule, way);
    }
    assertEquals((await app.invoke(["options"])).json, false);
    assertEquals((await app.invoke(["tmp"])).json, "done");

    const user = Deno.uid() === 0 ? { uid: USER_ID, gid: GROUP_ID } : {};
    await using other = startProgram("sleep", { args: ["infinity"], cwd: "/", ...user });
    const without = "without a mount namespace";
    for (
      const [way, message] of [
        ["kill", `Cannot send a signal to the process ${other.pid}: ${without}`],
        ["kill by a number that changes", `Cannot send a signal to the process ${other.pid}`],
        ["_kill", `Cannot send a signal to the process ${other.pid}: ${without}`],
        ["kill the group", "Cannot send a signal to the process 0"],
        ["debug", `Cannot debug a process: ${without}`],
        ["end debugging", `Cannot debug a process: ${without}`],
        ["set a function", "Cannot assign to read only property '_kill'"],
        ["define a function", "Cannot redefine property: _kill"],
        ["binding", "process.binding"],
        ["priority", `Cannot change the priority of the process ${other.pid}: ${without}`],
        ["database", `Cannot open a database: ${without}`],
        ["backup", `Cannot open a database: ${without}`],
        ["a flag", `Cannot set the flag "--redirect-code-traces-to=/var/tmp/mate-test" of V8: `],
        ["a flag after another one", 'Cannot set the flag "--logfile=/var/tmp/mate-test" of V8: '],
        ["a flag with a value apart", 'Cannot set the flag "--logfile" of V8: '],
        ["a flag of one dash", 'Cannot set the flag "-prof" of V8: '],
        ["a flag that changes", "must be of type string"],
        ["a flag by a prototype", 'Cannot set the flag "--prof" of V8: '],
        ["snapshot", `Cannot write a snapshot of the heap: ${without}`],
        ["a flag by the module", 'Cannot set the flag "--log-all" of V8: '],
      ] as const
    ) {
      const { json, failure } = await app.invoke([way, other.pid]);
      assertEquals(failure, "error", `${way}: ${JSON.stringify(json)}`);
      assertStringIncludes((json as Failure).errorMessage, message, way);
    }
    for (const way of ["own priority", "own process", "allowed flags"]) {
      assertEquals((await app.invoke([way])).failure, undefined, way);
    }
    for (const [way, signal] of [["abort", "aborted"], ["kill itself", "killed"]] as const) {
      const { failure, json } = await app.invoke([way]);
      assertEquals(failure, "exit", way);
      assertStringIncludes((json as Failure).errorMessage, `signal: ${signal}`);
    }
  });
}

/** An error as the platform and the clients write it. */
interface Failure {
  readonly errorType: string;
  readonly errorMessage: string;
}
