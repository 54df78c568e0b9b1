import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { boot, BOOTSTRAP, runProcess, TASK_ROOT } from "./testdata/run_process.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

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
  Deno.test(`the bootstrap serves ${handler.replace(TASK_ROOT, "…")}, and ends with 1 when refused`, async () => {
    await using stub = new StubApi([invocation(1)]);
    const { code, log } = await boot(stub, handler);
    assertEquals(stub.posts.map((post) => post.body), [body]);
    assertEquals(code, 1);
    assertStringIncludes(log, "The runtime cannot go on");
    assertStringIncludes(log, "answered 410");
  });
}

for (
  const [handler, type, message] of [
    ["nowhere.handler", "Runtime.ImportModuleError", "no module"],
    ["missing_import.handler", "Runtime.ImportModuleError", "nowhere.js"],
    ["index.nothing", "Runtime.HandlerNotFound", 'exports no "nothing"'],
    ["index.constructor", "Runtime.HandlerNotFound", 'exports no "constructor"'],
    ["index.handler.toString.x", "Runtime.HandlerNotFound", "exports no"],
    ["index.app.toString", "Runtime.HandlerNotFound", "exports no"],
    ["index.text", "Runtime.HandlerNotFound", "expected a function, got string"],
    ["index.old", "Runtime.CallbackHandlerDeprecated", "takes a callback"],
    ["", "Runtime.MalformedHandlerName", "_HANDLER must be"],
    ["index", "Runtime.MalformedHandlerName", '"index"'],
    ["index.", "Runtime.MalformedHandlerName", '"index."'],
    [".handler", "Runtime.MalformedHandlerName", '".handler"'],
    ["../task/index.handler", "Runtime.MalformedHandlerName", '".."'],
    ["nested/../index.handler", "Runtime.MalformedHandlerName", '".."'],
    ["throws.handler", "Function.RangeError", "no such configuration"],
  ] as const
) {
  Deno.test(`the bootstrap reports a start that fails with ${type}: ${JSON.stringify(handler)}`, async () => {
    await using stub = new StubApi([invocation(1)]);
    const { code, log } = await boot(stub, handler);
    assertEquals(code, 1);
    assertEquals(stub.requests.map(({ path }) => path), ["/2018-06-01/runtime/init/error"]);
    const [{ headers, body }] = stub.posts as [typeof stub.posts[0]];
    assertEquals(headers["lambda-runtime-function-error-type"], type);
    assertStringIncludes(JSON.parse(body).errorMessage, message);
    assertStringIncludes(log, message);
  });
}

Deno.test("the process ends with 1 where the handler's module never settles, and says where", async () => {
  await using stub = new StubApi([]);
  const { code, log } = await boot(stub, "stuck.handler");
  assertEquals([code, stub.requests], [1, []]); // Deno itself ends it
  assertMatch(log, /never resolved[^]*stuck\.js/);
});

Deno.test("the bootstrap tells code that does not parse from a module that is missing", async () => {
  const root = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${root}/parse.js`, "export const handler = ( => {};\n");
    await Deno.writeTextFile(`${root}/twice.js`, "let a; let a; export const handler = 1;\n");
    for (const name of ["parse", "twice"]) {
      await using stub = new StubApi([]);
      const { code } = await runProcess(
        BOOTSTRAP,
        {
          AWS_LAMBDA_RUNTIME_API: stub.api,
          LAMBDA_TASK_ROOT: root,
          _HANDLER: `${name}.handler`,
        },
        undefined,
        root,
      );
      assertEquals(code, 1);
      const field = stub.posts[0]?.headers["lambda-runtime-function-error-type"];
      assertEquals(field, "Runtime.UserCodeSyntaxError");
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("the bootstrap refuses a task root that is no absolute path", async () => {
  await using stub = new StubApi([]);
  for (const root of ["", "task"]) {
    const { code } = await boot(stub, "index.handler", { LAMBDA_TASK_ROOT: root });
    assertEquals(code, 1);
    assertStringIncludes(stub.posts.at(-1)!.body, "LAMBDA_TASK_ROOT must be an absolute path");
  }
});

for (
  const [env, message] of [
    [{}, "AWS_LAMBDA_RUNTIME_API is not set"],
    [{ AWS_LAMBDA_RUNTIME_API: "nonsense" }, 'got "nonsense"'],
    [
      { AWS_LAMBDA_RUNTIME_API: "127.0.0.1:1", AWS_LAMBDA_MAX_CONCURRENCY: "many" },
      'got "many"',
    ],
  ] as const
) {
  Deno.test(`the bootstrap says what is wrong with its environment: ${message}`, async () => {
    const { code, log } = await runProcess(BOOTSTRAP, { ...env });
    assertEquals(code, 1);
    assertStringIncludes(log, message);
  });
}
