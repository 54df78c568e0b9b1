import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { InvokeOptions, InvokeOutcome } from "../function_host.ts";
import { detectIsolation, plainFolders } from "../isolation/isolation.ts";
import { parseManifest } from "../manifest.ts";
import { createSandboxHost, type SandboxHost, type SandboxHostOptions } from "./mod.ts";

const isolation = Deno.build.os === "windows" ? undefined : await detectIsolation();
const hasNamespace = isolation !== undefined && isolation.kind !== "plain folders";
if (!hasNamespace) console.error("NOT RUN: what needs a mount namespace, which this machine lacks");

interface App {
  readonly host: SandboxHost;
  readonly folder: string;
  readonly log: string[];
  invoke(event?: unknown, options?: InvokeOptions): Promise<InvokeOutcome & { json: unknown }>;
}

/** Runs a function `one` with the given module and settings. */
async function withApp(
  module: string,
  test: (app: App) => Promise<void>,
  settings: Record<string, unknown> = {},
  options: Partial<SandboxHostOptions> = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const log: string[] = [];
  try {
    await Deno.writeTextFile(`${folder}/one.ts`, module);
    await using host = await createSandboxHost({
      manifest: manifestOf(settings),
      manifestPath: `${folder}/app.json`,
      log: ({ functionName, text }) => functionName && log.push(text),
      ...(isolation === undefined ? {} : { isolation }),
      ...options,
    });
    await test({
      host,
      folder,
      log,
      async invoke(event = {}, invokeOptions) {
        const payload = new TextEncoder().encode(JSON.stringify(event));
        const outcome = await host.invoke("one", payload, invokeOptions);
        return { ...outcome, json: JSON.parse(new TextDecoder().decode(outcome.payload)) };
      },
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function manifestOf(settings: Record<string, unknown> = {}) {
  const functions = { one: { module: "one.ts", timeout: 30, ...settings } };
  return parseManifest(JSON.stringify({ name: "test", stage: "v0", functions }), "app.json");
}

const isAlive = (pid: number) => Deno.stat(`/proc/${pid}`).then(() => true, () => false);

const LINUX = { ignore: Deno.build.os !== "linux" };

Deno.test("a cold start reports its init phase, a warm one does not, and both go to one process", async () => {
  await withApp(
    `console.log("init"); let count = 0;
    export const handler = (event, context) => {
      console.log("one\\ntwo"); console.error("three");
      return { event, count: ++count, id: context.awsRequestId, pid: Deno.pid };
    };`,
    async ({ invoke, log }) => {
      const first = await invoke({ a: 1 }, { requestId: "id-1" });
      const { pid } = first.json as { pid: number };
      assertEquals(first.json, { event: { a: 1 }, count: 1, id: "id-1", pid });
      assertEquals(first.requestId, "id-1");
      assertEquals("failure" in first, false);
      assertEquals(first.logTail, log.map((line) => `${line}\n`).join(""));
      const [init, start, ...rest] = log.splice(0);
      assertEquals([init, start], ["init", "START RequestId: id-1 Version: $LATEST"]);
      assertEquals(rest.slice(0, 3).sort(), ["one", "three", "two"]);
      assertEquals(rest[3], "END RequestId: id-1");
      assertMatch(
        rest[4]!,
        /^REPORT RequestId: id-1\tDuration: [\d.]+ ms\tBilled Duration: \d+ ms\tMemory Size: 128 MB\tMax Memory Used: [1-9]\d* MB\tInit Duration: [\d.]+ ms\t$/,
      );
      const second = await invoke({ a: 2 });
      assertEquals(second.json, {
        event: { a: 2 },
        count: 2,
        id: second.requestId,
        pid,
      });
      assertMatch(second.requestId, /^[0-9a-f-]{36}$/);
      assertEquals(/Init Duration|init/.test(second.logTail), false);
    },
  );
});

Deno.test("a function has only Lambda's environment variables and its own, which take no reserved one's place", async () => {
  await withApp(
    `export const handler = () => Deno.env.toObject();`,
    async ({ invoke }) => {
      const environment = (await invoke()).json as Record<string, string>;
      const ofTheStart = ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "HOME"];
      const ofTheShell = ["OLDPWD", "PWD", "SHLVL", "_"];
      const names = Object.keys(environment).filter((name) =>
        ![...ofTheStart, ...ofTheShell].includes(name)
      );
      assertEquals(names.sort(), [
        "AWS_DEFAULT_REGION",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
        "AWS_LAMBDA_FUNCTION_NAME",
        "AWS_LAMBDA_FUNCTION_VERSION",
        "AWS_LAMBDA_INITIALIZATION_TYPE",
        "AWS_LAMBDA_LOG_GROUP_NAME",
        "AWS_LAMBDA_LOG_STREAM_NAME",
        "AWS_LAMBDA_RUNTIME_API",
        "AWS_REGION",
        "LAMBDA_RUNTIME_DIR",
        "LAMBDA_TASK_ROOT",
        "LANG",
        "LD_LIBRARY_PATH",
        "MINE",
        "PATH",
        "TZ",
        "_HANDLER",
        "_X_AMZN_TRACE_ID",
      ]);
      assertEquals(environment.MINE, "$HOME 'x'");
      assertEquals(environment.TZ, "Europe/Paris");
      assertEquals(environment.AWS_LAMBDA_FUNCTION_NAME, "one");
      assertEquals(environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE, "256");
      assertEquals(environment.HOME, "/tmp", "there is none, so the start sets one");
      assertMatch(
        environment.AWS_LAMBDA_LOG_STREAM_NAME!,
        /^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][0-9a-f]{32}$/,
      );
    },
    {
      memory: 256,
      environment: { MINE: "$HOME 'x'", AWS_LAMBDA_FUNCTION_NAME: "other", TZ: "Europe/Paris" },
    },
  );
});

Deno.test({
  name: "a function is Lambda's user, at Lambda's place, and can write to its own /tmp alone",
  ignore: !hasNamespace,
  async fn() {
    await withApp(
      `import { writeFileSync } from "node:fs";
      export const handler = ({ path }) => {
        try { writeFileSync(path, "x"); return [Deno.uid(), import.meta.url, Array.from(Deno.readDirSync("/tmp"), (e) => e.name).sort()]; }
        catch (error) { return error.name + ": " + error.message; }
      };`,
      async ({ invoke }) => {
        const [uid, url, files] = (await invoke({ path: "/tmp/mine" })).json as [
          number,
          ...unknown[],
        ];
        assertEquals([uid, url, files], [993, "file:///var/task/index.js", ["deno", "mine"]]);
        assertEquals(await Deno.stat("/tmp/mine").catch(({ name }) => name), "NotFound");
        for (const path of ["/var/task/x", "/opt/x", "/home/x"]) {
          assertMatch(
            (await invoke({ path })).json as string,
            /^NotCapable: Requires write access/,
          );
        }
      },
    );
  },
});

Deno.test("what the manifest does not grant is an error of the function that names it", async () => {
  await withApp(
    `export const handler = (event) => fetch(event.url).then((response) => response.status);`,
    async ({ invoke }) => {
      await using server = Deno.serve({ port: 0, onListen() {} }, () => new Response(null));
      const { port } = server.addr;
      assertEquals((await invoke({ url: `http://127.0.0.1:${port}/` })).json, 200);
      const outcome = await invoke({ url: `http://localhost:${port}/` });
      assertEquals(outcome.failure, "error");
      const { errorType, errorMessage } = outcome.json as Record<string, string>;
      assertEquals(errorType, "NotCapable");
      assertMatch(errorMessage!, new RegExp(`^Requires net access to "localhost:${port}"`));
      assertMatch(outcome.logTail, /Status: error\tError Type: Function\.NotCapable\t\n$/);
    },
    { permissions: { net: ["127.0.0.1", "*.example.com:443"] } },
  );
});

for (
  const [event, failure, errorType, message, status] of [
    ["throw", "error", "TypeError", /^bad$/, "Function.TypeError"],
    ["exit 0", "exit", "Runtime.ExitError", /Runtime exited without providing a reason$/],
    ["exit 3", "exit", "Runtime.ExitError", /Runtime exited with error: exit status 3$/],
    ["memory", "exit", "Runtime.OutOfMemory", /Runtime exited with error: signal: killed$/],
    ["heap", "exit", "Runtime.ExitError", /Runtime exited with error: signal: \w+/],
    ["reject", "error", "Error", /^late$/, "Function.Error"],
    ["never", "error", "Runtime.NeverSettled", /never settled/],
    ["6291557", "too large", "Function.ResponseSizeTooLarge", /\(6291557 bytes\) exceeded/],
  ] as const
) {
  Deno.test({
    name:
      `a function that meets its end (${event}) fails with ${errorType}, and the next invocation is served`,
    ignore: event === "memory" && Deno.build.os !== "linux",
    async fn() {
      await withApp(
        `export const handler = async ({ end }) => {
          console.log("last words");
          if (end === "throw") throw new TypeError("bad");
          if (end.startsWith("exit")) Deno.exit(Number(end.slice(5)));
          if (end === "never") await new Promise(() => {});
          if (end === "reject") { Promise.reject(new Error("late")); await new Promise((r) => setTimeout(r, 1000)); }
          const kept = [];
          while (end === "memory") { kept.push(new Uint8Array(1e6).fill(1)); await new Promise((r) => setTimeout(r, 1)); }
          while (end === "heap") kept.push({ a: Math.random(), b: [1, 2] });
          return "x".repeat(Math.max(0, Number(end) - 2));
        };`,
        async ({ invoke }) => {
          const outcome = await invoke({ end: event });
          const body = outcome.json as Record<string, string>;
          assertEquals([outcome.failure, body.errorType], [failure, errorType]);
          assertMatch(body.errorMessage!, message);
          assertMatch(outcome.logTail, /END RequestId/);
          assertMatch(outcome.logTail, /\tStatus: error\tError Type: \w+\.\w+\t\n$/);
          if (status) assertMatch(outcome.logTail, new RegExp(`Error Type: ${status}\t\n$`));
          // V8's own report of an exhausted heap takes more than the tail holds.
          if (event !== "heap") assertMatch(outcome.logTail, /last words\n/);
          if (failure === "exit") {
            assert(outcome.logTail.includes(`${body.errorMessage}\n${errorType}\n`));
          }
          assertEquals((await invoke({ end: "6291556" })).json, "x".repeat(6_291_554));
        },
      );
    },
  });
}

Deno.test("an endless loop is killed at the time-out, and the next invocation gets a new process", async () => {
  await withApp(
    `export const handler = ({ isEndless }) => { while (isEndless); return Deno.pid; };`,
    async ({ invoke, host }) => {
      const { json: before } = await invoke();
      const outcome = await invoke({ isEndless: true }, { requestId: "id" });
      assertEquals(outcome.failure, "timeout");
      assertEquals(outcome.json, {
        errorType: "Sandbox.Timedout",
        errorMessage: "RequestId: id Error: Task timed out after 1.00 seconds",
      });
      assertMatch(
        outcome.logTail,
        /^START .*\n[\dT:.-]+Z id Task timed out after 1\.00 seconds\nEND RequestId: id\nREPORT .*\tDuration: 1000\.00 ms\t.*\tStatus: timeout\t\n$/,
      );
      assertEquals(host.sandboxesOf("one").length, 0);
      const { json: after } = await invoke();
      assert(before !== after || hasNamespace);
    },
    { timeout: 1 },
  );
});

Deno.test("a module that cannot be loaded is tried twice, and its error goes to the caller", async () => {
  await withApp(
    `console.log("try"); throw new RangeError("cannot start"); export const handler = 1;`,
    async ({ invoke, host }) => {
      const outcome = await invoke();
      assertEquals(outcome.failure, "error");
      const { errorType, errorMessage } = outcome.json as Record<string, string>;
      assertEquals([errorType, errorMessage], ["RangeError", "cannot start"]);
      const lines = outcome.logTail.split("\n");
      assertEquals(lines.filter((line) => line === "try").length, 2);
      const reports = lines.filter((line) => line.startsWith("INIT_REPORT"));
      assertEquals(reports.map((line) => line.split("\t").slice(1, 3)), [
        ["Phase: init", "Status: error"],
        ["Phase: invoke", "Status: error"],
      ]);
      assertEquals(host.sandboxesOf("one").length, 0);
    },
  );
});

Deno.test("an init phase over its limit is repeated within the invocation, whose time-out then counts", async () => {
  await withApp(
    `await new Promise((resolve) => setTimeout(resolve, 60_000)); export const handler = () => 1;`,
    async ({ invoke }) => {
      const outcome = await invoke();
      assertEquals(outcome.failure, "timeout");
      assertMatch(outcome.logTail, /Phase: init\tStatus: timeout\nSTART/);
      assertMatch(outcome.logTail, /Phase: invoke\tStatus: timeout\nEND/);
    },
    { timeout: 1 },
    { initLimit: 500 },
  );
});

Deno.test("a function that cannot even be started fails with what the system says", async () => {
  const layer = await Deno.makeTempDir();
  try {
    await Deno.chmod(layer, 0o755);
    await Deno.writeTextFile(`${layer}/bootstrap`, "#!/bin/sh\nexec /nowhere/deno\n");
    await Deno.chmod(`${layer}/bootstrap`, 0o755);
    await withApp(
      `export const handler = () => 1;`,
      async ({ invoke }) => {
        const outcome = await invoke();
        assertEquals(outcome.failure, "exit");
        const { errorType, errorMessage } = outcome.json as Record<string, string>;
        assertEquals(errorType, "Runtime.ExitError");
        assertMatch(errorMessage!, /Runtime exited with error: exit status 12[67]$/);
        assertMatch(outcome.logTail, /\/nowhere\/deno/);
      },
      {},
      { layer },
    );
  } finally {
    await Deno.remove(layer, { recursive: true });
  }
});

Deno.test("invocations at once get a sandbox each, up to the limit; the others wait their turn", async () => {
  await withApp(
    `let running = 0;
    export const handler = async () => {
      running++;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return running--;
    };`,
    async ({ invoke, host }) => {
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => invoke()));
      assertEquals(outcomes.map(({ json }) => json), [1, 1, 1, 1, 1], "one at a time in each");
      assertEquals(host.sandboxesOf("one").length, 2);
      const cold = outcomes.filter(({ logTail }) => logTail.includes("Init Duration"));
      assertEquals(cold.length, 2);
    },
    {},
    { concurrency: 2 },
  );
});

Deno.test({
  name: "a sandbox is frozen between invocations",
  ...LINUX,
  async fn() {
    await withApp(
      `let ticks = 0; setInterval(() => ticks++, 1); export const handler = () => ticks;`,
      async ({ invoke, host }) => {
        await invoke();
        const [sandbox] = host.sandboxesOf("one");
        assertEquals(sandbox!.isFrozen, true);
        const status = await Deno.readTextFile(`/proc/${sandbox!.pid}/status`);
        assertMatch(status, /^State:\tT \(stopped\)$/m);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const ticks = (await invoke()).json as number;
        assert(ticks < 200, `it ticked ${ticks} times`);
      },
    );
  },
});

Deno.test({
  name: "an idle sandbox ends after its limit, and disposing of the host ends all, even a busy one",
  ...LINUX,
  async fn() {
    const pids: number[] = [];
    let pending: Promise<InvokeOutcome> | undefined;
    await withApp(
      `export const handler = async ({ wait }) => { await new Promise((r) => setTimeout(r, wait)); };`,
      async ({ invoke, host }) => {
        await invoke({ wait: 0 });
        const [idle] = host.sandboxesOf("one");
        await idle!.gone;
        assertEquals(await isAlive(idle!.pid), false);
        pending = invoke({ wait: 25_000 });
        while (host.sandboxesOf("one").length === 0) await new Promise((r) => setTimeout(r, 10));
        pids.push(...host.sandboxesOf("one").map(({ pid }) => pid));
      },
      {},
      { idleLimit: 50 },
    );
    assertEquals((await pending)?.failure, "exit");
    assertEquals(pids.length, 1);
    assertEquals(await isAlive(pids[0]!), false);
  },
});

Deno.test("reload() takes new code and settings; what runs ends with the old, and what is broken changes nothing", async () => {
  const version = (number: number) =>
    `export const handler = async ({ wait }, { memoryLimitInMB }) => {
      await new Promise((r) => setTimeout(r, wait)); return [${number}, Number(memoryLimitInMB)]; };`;
  await withApp(version(1), async ({ invoke, host, folder, log }) => {
    await invoke({ wait: 0 });
    const [first] = host.sandboxesOf("one");
    await host.reload();
    assertEquals(host.sandboxesOf("one"), [first!], "the same code, the same sandbox");
    const slow = invoke({ wait: 1_500 });
    await Deno.writeTextFile(`${folder}/one.ts`, version(2));
    await host.reload(manifestOf({ memory: 192 }));
    assertEquals((await invoke({ wait: 0 })).json, [2, 192]);
    assertEquals((await slow).json, [1, 128]);
    assertEquals(first!.hasEnded, true);
    await Deno.writeTextFile(`${folder}/one.ts`, "export const handler = (");
    await host.reload();
    assertMatch(log.at(-1)!, /^Cannot bundle the function "one": .*SyntaxError/);
    assertEquals((await invoke({ wait: 0 })).json, [2, 192]);
  });
});

Deno.test("a host whose functions cannot be bundled is not made, and the error names each", async () => {
  const functions = { one: { module: "one.ts" }, two: { module: "two.ts", handler: "main" } };
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/two.ts`, "export const handler = 1;");
    const error = await assertRejects(() =>
      createSandboxHost({
        manifest: parseManifest(JSON.stringify({ name: "test", stage: "v0", functions }), "x"),
        manifestPath: `${folder}/app.json`,
        log() {},
      }), Error);
    assertMatch(error.message, /"one": its module "one\.ts" is no file in/);
    assertMatch(error.message, /"two": its module "two\.ts" has no export "main"/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an unknown function is refused by name", async () => {
  await withApp(`export const handler = () => 1;`, async ({ host }) => {
    const error = await assertRejects(() => host.invoke("two", new Uint8Array()), Error);
    assertEquals(error.message, 'Cannot invoke "two": there is no such function');
  });
});

Deno.test({
  name: "functions run in plain folders as well, with the same environment and permissions",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withApp(
      `export const handler = ({ path }) => {
        try { Deno.writeTextFileSync(path ?? import.meta.dirname + "/x", ""); } catch (error) { return error.name; }
        return Deno.env.has("USER");
      };`,
      async ({ invoke }) => {
        assertEquals((await invoke()).json, "NotCapable");
        assertEquals((await invoke({ path: "/home/x" })).json, "NotCapable");
      },
      {},
      { isolation: plainFolders("a test wants it so") },
    );
  },
});
