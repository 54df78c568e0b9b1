import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { boot, BOOTSTRAP, runProcess, TASK_ROOT } from "./testdata/run_process.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

Deno.test("the bootstrap serves the handler that _HANDLER names, and ends with 1 if the API refuses", async () => {
  for (
    const [handler, body] of [
      ["index.handler", '{"got":1}'],
      ["index.app.handle", '"app"'],
      ["common.handler", '"cjs"'],
      ["nested/deep.handler", '"deep"'],
      ["typed.handler", '"typed"'],
      [`${TASK_ROOT}/index.handler`, '{"got":1}'],
    ] as const
  ) {
    await using stub = new StubApi([invocation(1)]);
    const { code, log } = await boot(stub, handler);
    assertEquals([code, stub.posts.map((post) => post.body)], [1, [body]], handler);
    assertMatch(log, /The runtime cannot go on .*answered 410/);
  }
});

Deno.test("the bootstrap reports why the function did not start", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${root}/parse.js`, "export const handler = ( => {};\n");
    await Deno.writeTextFile(`${root}/twice.js`, "let a; let a; export const handler = 1;\n");
    for (
      const [handler, type, message, env] of [
        ["nowhere.handler", "Runtime.ImportModuleError", "no module"],
        ["missing_import.handler", "Runtime.ImportModuleError", "nowhere.js"],
        ["index.nothing", "Runtime.HandlerNotFound", 'exports no "nothing"'],
        ["index.constructor", "Runtime.HandlerNotFound", 'exports no "constructor"'],
        ["index.handler.toString.x", "Runtime.HandlerNotFound", "exports no"],
        ["index.app.toString", "Runtime.HandlerNotFound", "exports no"],
        ["index.text", "Runtime.HandlerNotFound", "expected a function, got string"],
        ["index.old", "Runtime.CallbackHandlerDeprecated", "takes a callback"],
        ["", "Runtime.MalformedHandlerName", 'Invalid _HANDLER ""'],
        ["index", "Runtime.MalformedHandlerName", '"index"'],
        ["index.", "Runtime.MalformedHandlerName", '"index."'],
        [".handler", "Runtime.MalformedHandlerName", '".handler"'],
        ["../task/index.handler", "Runtime.MalformedHandlerName", '".."'],
        ["throws.handler", "Function.RangeError", "no such configuration"],
        ["parse.handler", "Runtime.UserCodeSyntaxError", "parse.js", { LAMBDA_TASK_ROOT: root }],
        ["twice.handler", "Runtime.UserCodeSyntaxError", "twice.js", { LAMBDA_TASK_ROOT: root }],
        ["index.handler", "Runtime.ImportModuleError", '"/index"', { LAMBDA_TASK_ROOT: "" }],
        ["index.handler", "Runtime.ImportModuleError", '"a/index"', { LAMBDA_TASK_ROOT: "a" }],
        ["index.handler", "Function.NotCapable", "/away/index.js", { LAMBDA_TASK_ROOT: "/away" }],
      ] as const
    ) {
      await using stub = new StubApi([invocation(1)]);
      const { code, log } = await boot(stub, handler, env, `${TASK_ROOT},${root}`);
      assertEquals(code, 1);
      assertEquals(stub.requests.map(({ path }) => path), ["/2018-06-01/runtime/init/error"]);
      const [{ headers, body }] = stub.posts as [typeof stub.posts[0]];
      assertEquals(headers["lambda-runtime-function-error-type"], type, handler);
      assertStringIncludes(JSON.parse(body).errorMessage, message);
      assertStringIncludes(log, message);
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("the process ends with 1 if the handler's module never settles, and the log says where", async () => {
  await using stub = new StubApi([]);
  const { code, log } = await boot(stub, "stuck.handler");
  assertEquals([code, stub.requests], [1, []]); // Deno itself ends the process
  assertMatch(log, /never resolved[^]*stuck\.js/);
});

Deno.test("the bootstrap says which variable of its environment is missing or malformed", async () => {
  const api = "127.0.0.1:1";
  for (
    const [env, message] of [
      [{}, "AWS_LAMBDA_RUNTIME_API is not set"],
      [{ AWS_LAMBDA_RUNTIME_API: "nonsense" }, 'Invalid AWS_LAMBDA_RUNTIME_API "nonsense"'],
      [
        { AWS_LAMBDA_RUNTIME_API: api, AWS_LAMBDA_MAX_CONCURRENCY: "many" },
        'Invalid AWS_LAMBDA_MAX_CONCURRENCY "many"',
      ],
    ] as [Record<string, string>, string][]
  ) {
    const { code, log } = await runProcess(BOOTSTRAP, env);
    assertEquals(code, 1);
    assertStringIncludes(log, message);
  }
});
