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

const node = await hasNode();
if (!node) {
  console.warn("NOT RUN: the bundled bootstrap on Node.js, because `node` is not installed");
}

/** The programs that run a bundle, with permissions for one folder. */
function programs(folder: string): [program: string, args: string[]][] {
  const permissions = ["--allow-env", "--allow-net=127.0.0.1", `--allow-read=${folder}`];
  const deno: [string, string[]] = [Deno.execPath(), ["run", "--no-prompt", ...permissions]];
  return node ? [deno, ["node", []]] : [deno];
}

Deno.test("the bundled bootstrap serves and reports on Deno and Node.js", async () => {
  await using bundled = await bundle();
  for (const [program, args] of programs(TASK_ROOT)) {
    // Deno itself ends a process whose module never settles.
    const stuck = ["stuck.handler", undefined, "Runtime.NeverSettled"] as const;
    for (
      const [handler, fault, field] of [
        ...(program === "node" ? [stuck] : []),
        ["index.handler", "none", undefined],
        ["nested/deep.handler", "none", undefined],
        ["common.handler", "none", undefined],
        ["nowhere.handler", undefined, "Runtime.ImportModuleError"],
        ["throws.handler", undefined, "Function.RangeError"],
        ["index.faults", "never", "Runtime.NeverSettled"],
        ["index.faults", "rejection", "Function.TypeError"],
        ["index.faults", "uncaught", "Function.RangeError"],
        ["index.faults", "stuck stream", undefined],
      ] as const
    ) {
      await using stub = new StubApi(fault ? [invocation({ fault })] : []);
      const { code, log } = await runBundle(program, [...args, bundled.file], handler, stub);
      assertEquals([code, stub.posts.length], [1, 1], handler);
      const { path, headers, trailers } = stub.posts[0]!;
      assertEquals(headers["lambda-runtime-function-error-type"], field, handler);
      assertEquals(path.endsWith("/error"), field !== undefined);
      const isStream = fault === "stuck stream";
      const trailer = trailers["lambda-runtime-function-error-type"];
      assertEquals(trailer, isStream ? "Runtime.NeverSettled" : undefined);
      if (!field && !isStream) assertStringIncludes(log, "answered 410");
    }
  }
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
  for (const [program, args] of programs(folder.path)) {
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
