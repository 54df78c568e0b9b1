import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  type App,
  hasNamespace,
  startApp,
  testPlatform,
  testRuntimes,
} from "../../testdata/sandbox.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";

const MODULE = `import { writeFileSync } from "node:fs";
export const handler = async ({ end }) => {
  console.log("last words");
  if (end === "throw") throw new TypeError("bad");
  if (end.startsWith("exit")) process.exit(Number(end.slice(5)));
  if (end === "never") await new Promise(() => {});
  if (end === "reject") { Promise.reject(new Error("late")); await new Promise((r) => setTimeout(r, 1000)); }
  const kept = [];
  while (end === "memory") { kept.push(new Uint8Array(1e6).fill(1)); await new Promise((r) => setTimeout(r, 1)); }
  const megabyte = new Uint8Array(1e6);
  for (let i = 0; end === "tmp"; i++) writeFileSync("/tmp/" + i, megabyte);
  return "x".repeat(Math.max(0, Number(end) - 2));
};`;

/** The way a function ends, and the failure on AWS Lambda. */
type Fault = readonly [end: string, failure: string, errorType: string, RegExp, status?: string];

async function assertFault({ invoke }: App, fault: Fault): Promise<void> {
  const [end, failure, errorType, message, status] = fault;
  const outcome = await invoke({ end });
  const body = outcome.json as Record<string, string>;
  assertEquals([outcome.failure, body.errorType], [failure, errorType]);
  assertMatch(body.errorMessage!, message);
  assertMatch(outcome.logTail, /END RequestId/);
  assertMatch(outcome.logTail, /\tStatus: error\tError Type: \w+\.\w+\t\n$/);
  if (status) assertMatch(outcome.logTail, new RegExp(`Error Type: ${status}\t\n$`));
  assertMatch(outcome.logTail, /last words\n/);
  if (failure === "exit") assert(outcome.logTail.includes(`${body.errorMessage}\n${errorType}\n`));
  const size = failure === "too large" ? 6_291_556 : 5;
  assertEquals((await invoke({ end: `${size}` })).json, "x".repeat(size - 2));
}

const FAULTS: readonly Fault[] = [
  ["throw", "error", "TypeError", /^bad$/, "Function.TypeError"],
  ["6291557", "too large", "Function.ResponseSizeTooLarge", /\(6291557 bytes\) exceeded/],
  ["never", "error", "Runtime.NeverSettled", /never settled/],
  ["reject", "error", "Error", /^late$/, "Function.Error"],
  ["exit 0", "exit", "Runtime.ExitError", /Runtime exited without providing a reason$/],
  ["exit 3", "exit", "Runtime.ExitError", /Runtime exited with error: exit status 3$/],
  ["memory", "exit", "Runtime.OutOfMemory", /Runtime exited with error: signal: killed$/],
  ["tmp", "exit", "Runtime.ExitError", /Runtime ended: \/tmp holds more than 512 MB$/],
];

Deno.test("each fault of a function has its error, and the next invocation succeeds", async (t) => {
  await using app = await startApp(MODULE);
  for (const fault of FAULTS) {
    const [end] = fault;
    const ignore = end === "memory" && Deno.build.os !== "linux" ||
      end === "tmp" && !hasNamespace;
    await t.step({ name: end, ignore, fn: () => assertFault(app, fault) });
  }
});

const LINUX = { ignore: Deno.build.os !== "linux" };

testPlatform("a function that exceeds its memory gets a hint", async (runtime) => {
  await using app = await startNoted({ runtime });
  await app.invoke({ end: "memory" });
  assertEquals(app.notes.slice(1), [MORE_MEMORY]);
}, LINUX);

const MORE_MEMORY = 'The function "one" may keep only the "memory" that the manifest gives it';

/** Starts the application, and takes the records of the host itself. */
async function startNoted(settings = {}) {
  const notes: string[] = [];
  const app = await startApp(MODULE, settings, {
    log: ({ functionName, text }) => functionName || notes.push(text),
  });
  return Object.assign(app, { notes });
}

testPlatform("an endless loop ends at the time-out, with its process", async (runtime) => {
  await using app = await startApp(
    `export const handler = async ({ isEndless }) => { while (isEndless); return process.pid; };`,
    { runtime, timeout: 1 },
  );
  const { invoke, host } = app;
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
});

testRuntimes("a module that cannot be loaded is loaded twice", async (runtime) => {
  await using app = await startApp(
    `console.log("try"); throw new RangeError("cannot start"); export const handler = 1;`,
    { runtime },
  );
  const { invoke, host } = app;
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
});

testPlatform("an init phase over its limit is repeated in the invocation", async (runtime) => {
  await using app = await startApp(
    `await new Promise((resolve) => setTimeout(resolve, 60_000)); export const handler = () => 1;`,
    { runtime, timeout: 1 },
    { initLimit: 500 },
  );
  const outcome = await app.invoke();
  assertEquals(outcome.failure, "timeout");
  assertMatch(outcome.logTail, /Phase: init\tStatus: timeout\nSTART/);
  assertMatch(outcome.logTail, /Phase: invoke\tStatus: timeout\nEND/);
});

Deno.test("a function that cannot be started fails with the error of the system", async () => {
  const layer = temporaryFolder();
  await Deno.chmod(layer, 0o755);
  await Deno.writeTextFile(`${layer}/bootstrap`, "#!/bin/sh\nexec /nowhere/deno\n");
  await Deno.chmod(`${layer}/bootstrap`, 0o755);
  await using app = await startApp(`export const handler = () => 1;`, {}, { layer });
  const { failure, json, logTail } = await app.invoke();
  const { errorType, errorMessage } = json as Record<string, string>;
  assertEquals([failure, errorType], ["exit", "Runtime.ExitError"]);
  assertMatch(errorMessage!, /Runtime exited with error: exit status 12[67]$/);
  assertMatch(logTail, /\/nowhere\/deno/);
});
