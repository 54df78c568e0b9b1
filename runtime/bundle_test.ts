import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { TASK_ROOT } from "./testdata/run_process.ts";
import { invocation, StubApi, type StubRequest } from "./testdata/stub_api.ts";

/** Bundles the bootstrap as it is in the layer. */
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

async function runBundle(
  program: string,
  args: readonly string[],
  handler: string,
  stub: StubApi,
  more: Record<string, string> = {},
) {
  const { code, stdout } = await new Deno.Command(program, {
    args: [...args],
    clearEnv: true,
    env: {
      AWS_LAMBDA_RUNTIME_API: stub.api,
      LAMBDA_TASK_ROOT: TASK_ROOT,
      _HANDLER: handler,
      HOME: "/tmp",
      NO_COLOR: "1",
      ...more,
    },
  }).output();
  return { code, log: new TextDecoder().decode(stdout) };
}

Deno.test("the bundled bootstrap serves with scoped permissions, and names its error types", async () => {
  await using bundled = await bundle();
  await using stub = new StubApi([invocation({ fault: "none" }), invocation({ fault: "never" })]);
  const permissions = ["--allow-env", `--allow-net=${stub.api}`, `--allow-read=${TASK_ROOT}`];
  const args = ["run", "--no-prompt", ...permissions, bundled.file];
  const { code } = await runBundle(Deno.execPath(), args, "index.faults", stub);
  assertEquals(code, 1);
  assertEquals(stub.posts[0]!.body, '{"fault":"none"}');
  assertEquals(JSON.parse(stub.posts[1]!.body).errorType, "Runtime.NeverSettled");
});

const node = await hasNode();
if (!node) {
  console.warn("NOT RUN: the bundled bootstrap on Node.js, because `node` is not installed");
}

Deno.test({
  name: "the bundled bootstrap serves and reports on Node.js as on Deno",
  ignore: !node,
  async fn() {
    await using bundled = await bundle();
    for (
      const [handler, fault, field] of [
        ["index.handler", "none", undefined],
        ["nested/deep.handler", "none", undefined],
        ["common.handler", "none", undefined],
        ["nowhere.handler", undefined, "Runtime.ImportModuleError"],
        ["throws.handler", undefined, "Function.RangeError"],
        ["stuck.handler", undefined, "Runtime.NeverSettled"],
        ["index.faults", "never", "Runtime.NeverSettled"],
        ["index.faults", "rejection", "Function.TypeError"],
        ["index.faults", "uncaught", "Function.RangeError"],
        ["index.faults", "stuck stream", undefined],
      ] as const
    ) {
      await using stub = new StubApi(fault ? [invocation({ fault })] : []);
      const { code, log } = await runBundle("node", [bundled.file], handler, stub);
      assertEquals([code, stub.posts.length], [1, 1], handler);
      const { path, headers, trailers } = stub.posts[0]!;
      assertEquals(headers["lambda-runtime-function-error-type"], field, handler);
      assertEquals(path.endsWith("/error"), field !== undefined);
      const isStream = fault === "stuck stream";
      const trailer = trailers["lambda-runtime-function-error-type"];
      assertEquals(trailer, isStream ? "Runtime.NeverSettled" : undefined);
      if (!field && !isStream) assertStringIncludes(log, "answered 410");
    }
  },
});

Deno.test("a bundled function's failures and records name the author's file and line", async () => {
  await using bundled = await bundle();
  await using folder = {
    path: await Deno.makeTempDir(),
    [Symbol.asyncDispose]: () => Deno.remove(folder.path, { recursive: true }),
  };
  await Deno.writeTextFile(
    `${folder.path}/orders.ts`,
    `// A comment that the bundle lacks.
     export const handler = (event: { log: boolean }): string => {
       const error = new RangeError("no supplier");
       if (!event.log) throw error;
       console.error("Cannot order", error);
       return "logged";
     };`,
  );
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: "bundle --quiet --minify --sourcemap=external -o index.js orders.ts".split(" "),
    cwd: folder.path,
  }).output();
  assertEquals(success, true);
  const permissions = ["--allow-env", "--allow-net", `--allow-read=${folder.path}`];
  for (
    const [program, args] of [
      [Deno.execPath(), ["run", "--no-prompt", ...permissions]],
      ...(node ? [["node", []] as const] : []),
    ] as const
  ) {
    await using stub = new StubApi([invocation({ log: false }), invocation({ log: true })]);
    const env = { LAMBDA_TASK_ROOT: folder.path };
    const { log } = await runBundle(program, [...args, bundled.file], "index.handler", stub, env);
    const [{ body, headers }, { body: second }] = stub.posts as [StubRequest, StubRequest];
    assertMatch(JSON.parse(body).stackTrace[0], /^at .*\borders\.ts:3:22\)?$/);
    const cause = JSON.parse(headers["lambda-runtime-function-xray-error-cause"]!);
    assertEquals(cause.exceptions[0].stack[0].line, 3);
    assertEquals(second, '"logged"');
    assertMatch(log, /\tERROR\tThe invocation failed [^\n]*orders\.ts:3:22/);
    assertMatch(log, /\tERROR\tCannot order [^\n]*orders\.ts:3:22/);
  }
});

async function hasNode(): Promise<boolean> {
  try {
    return (await new Deno.Command("node", { args: ["--version"] }).output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
