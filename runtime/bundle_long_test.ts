import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { bundle, hasProgram } from "../testdata/programs.ts";
import { boot, BOOTSTRAP, DENO, TASK_ROOT } from "./testdata/run_process.ts";
import { invocation, StubApi, type StubRequest } from "./testdata/stub_api.ts";

const BUNDLE = `${TASK_ROOT}/bootstrap.mjs`;
await bundle(BOOTSTRAP, BUNDLE); // as it is in the layer

const COMMANDS = [[...DENO, BUNDLE]];
if (await hasProgram("node", "the bundled bootstrap on Node.js")) COMMANDS.push(["node", BUNDLE]);

Deno.test("the bundled bootstrap serves and reports on Deno and Node.js", async () => {
  for (const command of COMMANDS) {
    // Deno itself ends a process whose module never settles.
    const stuck = ["stuck.handler", undefined, "Runtime.NeverSettled"] as const;
    const cases = [
      ...(command[0] === "node" ? [stuck] : []),
      ["index.handler", "none", undefined],
      ["nested/a b#1%.handler", "none", undefined],
      ["common.handler", "none", undefined],
      ["nowhere.handler", undefined, "Runtime.ImportModuleError"],
      ["throws.handler", undefined, "Function.RangeError"],
      ["index.faults", "never", "Runtime.NeverSettled"],
      ["index.faults", "rejection", "Function.TypeError"],
      ["index.faults", "uncaught", "Function.RangeError"],
      ["index.faults", "stuck stream", undefined],
      ["index.faults", "short stream", undefined],
    ] as const;
    for (const [handler, fault, field] of cases) {
      await using stub = new StubApi(fault ? [invocation({ fault })] : []);
      // During the delay, only the connection keeps the process alive.
      stub.onRequest = ({ path }) => path.endsWith("/response") ? { delay: 50 } : undefined;
      const { code, log } = await boot(stub, handler, {}, command);
      assertEquals([code, stub.posts.length], [1, 1], handler);
      const { path, headers, trailers, body } = stub.posts[0]!;
      assertEquals(headers["lambda-runtime-function-error-type"], field, handler);
      assertEquals(path.endsWith("/error"), field !== undefined);
      if (field === "Runtime.NeverSettled") {
        const culprit = fault ? "The handler" : "The module of the handler";
        assertStringIncludes(body, `${culprit} never settled`);
      }
      const isStream = fault === "stuck stream";
      const trailer = trailers["lambda-runtime-function-error-type"];
      assertEquals(trailer, isStream ? "Runtime.NeverSettled" : undefined);
      if (!field && !isStream) assertStringIncludes(log, "answered 410");
    }
  }
});

Deno.test("a bundled function's failures and records name the author's file and line", async () => {
  const folder = `${TASK_ROOT}/orders`;
  await Deno.mkdir(folder);
  await Deno.writeTextFile(
    `${folder}/orders.ts`,
    `// A comment that the bundle lacks.
     import { logger } from "${import.meta.resolve("../logger/mod.ts")}"; // another copy of it
     logger.info("Opened");
     export const handler = (event: { log: boolean } | { name: string }): string => {
       if ("name" in event) JSON.parse(event.name);
       const error = new RangeError("no supplier");
       if (!("log" in event) || !event.log) throw error;
       console.error("Cannot order", error);
       return "logged";
     };`,
  );
  await bundle(`${folder}/orders.ts`, `${folder}/index.js`, "--sourcemap=external");
  for (const command of COMMANDS) {
    const name = "\n at /%:1:1\n at /var/task/%:1:1\n";
    await using stub = new StubApi([
      invocation({ log: false }),
      invocation({ log: true }),
      invocation({ name }),
    ]);
    const { log } = await boot(stub, "orders/index.handler", {}, command);
    const [{ body, headers }, { body: second }, { body: third }] = stub.posts as [
      StubRequest,
      StubRequest,
      StubRequest,
    ];
    const { errorType, errorMessage, stackTrace } = JSON.parse(third);
    assertEquals(errorType, "SyntaxError");
    assertStringIncludes(errorMessage, "at /%:1:1");
    assertEquals(stackTrace.filter((line: string) => line.includes("%")), []);
    assertEquals(log.match(/\tERROR\tThe invocation failed SyntaxError/g)?.length, 1);
    assertMatch(JSON.parse(body).stackTrace[0], /^at .*\borders\.ts:6:22\)?$/);
    const cause = JSON.parse(headers["lambda-runtime-function-xray-error-cause"]!);
    assertEquals(cause.exceptions[0].stack[0].line, 6);
    assertEquals(second, '"logged"');
    assertMatch(log, /\tINFO\tOpened\n/);
    assertMatch(log, /\tERROR\tThe invocation failed [^\n]*orders\.ts:6:22/);
    assertMatch(log, /\tERROR\tCannot order [^\n]*orders\.ts:6:22/);
  }
});
