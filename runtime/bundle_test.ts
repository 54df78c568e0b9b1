import { assertEquals, assertStringIncludes } from "@std/assert";
import { invocation, StubApi } from "./testdata/stub_api.ts";

const TASK_ROOT = new URL("testdata/task", import.meta.url).pathname;

/** The bootstrap, bundled as the layer has it. */
async function bundle() {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/bootstrap.mjs`;
  const entry = new URL("bootstrap.ts", import.meta.url).pathname;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--minify", "--no-lock", "--no-config", "-o", file, entry],
  }).output();
  assertEquals(success, true, new TextDecoder().decode(stderr));
  return { file, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

async function runBundle(program: string, args: string[], handler: string, stub: StubApi) {
  const { code, stdout } = await new Deno.Command(program, {
    args,
    clearEnv: true,
    env: {
      AWS_LAMBDA_RUNTIME_API: stub.api,
      LAMBDA_TASK_ROOT: TASK_ROOT,
      _HANDLER: handler,
      HOME: "/tmp",
      NO_COLOR: "1",
    },
  }).output();
  return { code, log: new TextDecoder().decode(stdout) };
}

Deno.test("the bundled bootstrap serves with scoped permissions, and names its error types", async () => {
  await using bundled = await bundle();
  await using stub = new StubApi([invocation({ fault: "none" }), invocation({ fault: "never" })]);
  const { code } = await runBundle(
    Deno.execPath(),
    [
      "run",
      "--no-prompt",
      "--allow-env",
      `--allow-net=${stub.api}`,
      `--allow-read=${TASK_ROOT}`,
      bundled.file,
    ],
    "faults.handler",
    stub,
  );
  assertEquals(code, 1);
  assertEquals(stub.posts[0]!.body, '{"fault":"none"}');
  assertEquals(JSON.parse(stub.posts[1]!.body).errorType, "Runtime.NeverSettled");
});

const node = await hasNode();
if (!node) console.warn("NOT RUN: the bundled bootstrap on Node.js, for `node` is not installed");

for (
  const [handler, events, field] of [
    ["index.handler", [1], undefined],
    ["nowhere.handler", [], "Runtime.ImportModuleError"],
    ["nested/deep.handler", [1], undefined],
    ["common.handler", [1], undefined],
    ["throws.handler", [], "Function.RangeError"],
    ["stuck.handler", [], "Runtime.NeverSettled"],
    ["faults.handler", [{ fault: "never" }], "Runtime.NeverSettled"],
    ["faults.handler", [{ fault: "rejection" }], "Function.TypeError"],
    ["faults.handler", [{ fault: "uncaught" }], "Function.RangeError"],
    ["faults.handler", [{ fault: "stuck stream" }], undefined],
  ] as const
) {
  Deno.test({
    name: `the bundled bootstrap on Node.js: ${handler} ${JSON.stringify(events)}`,
    ignore: !node,
    async fn() {
      await using bundled = await bundle();
      await using stub = new StubApi(events.map((event) => invocation(event)));
      const { code, log } = await runBundle("node", [bundled.file], handler, stub);
      assertEquals(code, 1);
      assertEquals(stub.posts.length, 1);
      const { path, headers, trailers } = stub.posts[0]!;
      const type = headers["lambda-runtime-function-error-type"];
      assertEquals(path.endsWith("/error"), field !== undefined);
      if (field) assertStringIncludes(type!, field);
      else if (handler !== "faults.handler") assertStringIncludes(log, "answered 410");
      else {
        assertEquals(trailers["lambda-runtime-function-error-type"], "Runtime.NeverSettled");
      }
    },
  });
}

async function hasNode(): Promise<boolean> {
  try {
    return (await new Deno.Command("node", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
