import { assert, assertEquals, assertMatch } from "@std/assert";
import { hasNamespace, withApp } from "../../testdata/sandbox.ts";

for (
  const [event, failure, errorType, message, status] of [
    ["throw", "error", "TypeError", /^bad$/, "Function.TypeError"],
    ["exit 0", "exit", "Runtime.ExitError", /Runtime exited without providing a reason$/],
    ["exit 3", "exit", "Runtime.ExitError", /Runtime exited with error: exit status 3$/],
    ["memory", "exit", "Runtime.OutOfMemory", /Runtime exited with error: signal: killed$/],
    ["tmp", "exit", "Runtime.ExitError", /Runtime ended: \/tmp holds more than 512 MB$/],
    ["heap", "exit", "Runtime.ExitError", /Runtime exited with error: signal: \w+/],
    ["reject", "error", "Error", /^late$/, "Function.Error"],
    ["never", "error", "Runtime.NeverSettled", /never settled/],
    ["6291557", "too large", "Function.ResponseSizeTooLarge", /\(6291557 bytes\) exceeded/],
  ] as const
) {
  Deno.test({
    name:
      `a function that ends by ${event} fails with ${errorType}, and the next invocation is served`,
    ignore: event === "memory" && Deno.build.os !== "linux" || event === "tmp" && !hasNamespace,
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
          for (let i = 0; end === "tmp"; i++) Deno.writeFileSync("/tmp/" + i, new Uint8Array(1e6));
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
        event === "heap" ? { memory: 512 } : {}, // so that V8 notices first
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
      assertEquals(lines.filter((line) => line.endsWith("\tINFO\ttry")).length, 2);
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
