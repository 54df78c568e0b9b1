import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { boot, BOOTSTRAP, runProcess, TASK_ROOT } from "./testdata/run_process.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

for (
  const [fault, type, message] of [
    ["never", "Runtime.NeverSettled", "The handler never settled"],
    ["rejection", "Function.TypeError", "nobody handles this"],
    ["uncaught", "Function.RangeError", "nobody catches this"],
  ] as const
) {
  Deno.test(`the bootstrap reports the invocation and ends with 1: ${fault}`, async () => {
    const id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
    await using stub = new StubApi([
      invocation({ fault: "none" }),
      invocation({ fault }, { "Lambda-Runtime-Aws-Request-Id": id }),
      invocation({ fault: "none" }),
    ]);
    const { code, log } = await boot(stub, "faults.handler");
    assertEquals(code, 1);
    assertEquals(stub.posts.length, 2, "nothing is fetched after it");
    const { path, headers, body } = stub.posts[1]!;
    assertEquals(path, `/2018-06-01/runtime/invocation/${id}/error`);
    assertEquals(headers["lambda-runtime-function-error-type"], type);
    assertStringIncludes(JSON.parse(body).errorMessage, message);
    assertStringIncludes(log, message);
    assertStringIncludes(log, id);
    assertEquals(log.split(message).length, 2, "it is logged once");
  });
}

for (
  const [fault, type] of [
    ["stream", "Function.RangeError"],
    ["stuck stream", "Runtime.NeverSettled"],
  ] as const
) {
  Deno.test(`the bootstrap ends a stream under way with trailers: ${fault}`, async () => {
    await using stub = new StubApi([invocation({ fault })]);
    const { code } = await boot(stub, "faults.handler");
    assertEquals([code, stub.posts.length], [1, 1]);
    assertEquals(stub.posts[0]!.body, "first");
    assertEquals(stub.posts[0]!.trailers["lambda-runtime-function-error-type"], type);
  });
}

Deno.test("the bootstrap reports the first of several errors, and logs all", async () => {
  await using stub = new StubApi([invocation({ fault: "two" })]);
  const { code, log } = await boot(stub, "faults.handler");
  assertEquals([code, stub.posts.length], [1, 1]);
  assertEquals(JSON.parse(stub.posts[0]!.body).errorMessage, "first");
  assertMatch(log, /first[^]*second/);
});

Deno.test("the bootstrap ends with 1 where even the report of an error is refused", async () => {
  await using stub = new StubApi([invocation({ fault: "uncaught" })]);
  stub.onRequest = ({ path }) => path.endsWith("/error") ? { status: 500 } : undefined;
  const { code, log } = await boot(stub, "faults.handler");
  assertEquals([code, stub.posts.length], [1, 1]);
  assertStringIncludes(log, "nobody catches this");
});

Deno.test("the bootstrap says what it may not read", async () => {
  await using stub = new StubApi([]);
  const { code } = await boot(stub, "index.handler", { LAMBDA_TASK_ROOT: "/elsewhere" });
  assertEquals(code, 1);
  assertStringIncludes(JSON.parse(stub.posts[0]!.body).errorMessage, "/elsewhere/index.js");
});

Deno.test("a handler that ends the process ends it: the platform sees that by itself", async () => {
  await using stub = new StubApi([invocation({ fault: "exit" })]);
  const { code } = await boot(stub, "faults.handler");
  assertEquals([code, stub.posts.length], [0, 0]);
});

Deno.test("the bootstrap ends at once at SIGTERM, its log complete", async () => {
  await using stub = new StubApi([invocation({ fault: "none" })]);
  const arrived = Promise.withResolvers<void>();
  stub.onRequest = ({ path }) => {
    if (!path.endsWith("/next") || stub.posts.length === 0) return undefined;
    arrived.resolve();
    return { delay: 800, status: 410 };
  };
  const { code } = await runProcess(BOOTSTRAP, {
    AWS_LAMBDA_RUNTIME_API: stub.api,
    LAMBDA_TASK_ROOT: TASK_ROOT,
    _HANDLER: "index.handler",
  }, async (child) => {
    await arrived.promise;
    child.kill("SIGTERM");
  });
  assertEquals([code, stub.posts.length], [143, 1]);
});

Deno.test("the bootstrap starts nothing while it reports a failed start", async () => {
  await using stub = new StubApi([invocation(1)]);
  stub.onRequest = ({ path }) => path.endsWith("/init/error") ? { delay: 200 } : undefined;
  const { code, log } = await boot(stub, "late.handler");
  assertEquals([code, stub.requests.length], [1, 1]);
  assertStringIncludes(stub.posts[0]!.body, "nobody handles this");
  assertEquals(log.includes("Cannot report"), false);
});

Deno.test("the bootstrap fails an invocation that comes while it ends, and does not run it", async () => {
  await using stub = new StubApi([invocation({ fault: "uncaught" })]);
  const reporting = Promise.withResolvers<void>();
  stub.onRequest = ({ path }) => {
    if (path.endsWith("/error")) {
      reporting.resolve();
      return { delay: 200 };
    }
    const isSecond = stub.requests.length === 2;
    return isSecond ? { ...invocation({ fault: "none" }), until: reporting.promise } : undefined;
  };
  const { code } = await boot(stub, "faults.handler", { AWS_LAMBDA_MAX_CONCURRENCY: "2" });
  assertEquals(code, 1);
  assertEquals(stub.posts.map(({ path, body }) => [path.split("/").at(-1), body]), [
    ["error", stub.posts[0]!.body],
    ["error", stub.posts[0]!.body],
  ]);
  assertStringIncludes(stub.posts[0]!.body, "nobody catches this");
});

Deno.test("the bootstrap ends although nobody reads the stream that it has to fail", async () => {
  await using stub = new StubApi([invocation({ fault: "unread stream" })]);
  const ended = Promise.withResolvers<void>();
  stub.onHead = (path) =>
    path.endsWith("/response") ? { raw: "", until: ended.promise } : undefined;
  const { code, log } = await boot(stub, "faults.handler");
  ended.resolve();
  assertEquals([code, stub.posts], [1, []]);
  assertStringIncludes(log, "aside");
});

Deno.test("the bootstrap ends although its report of a failed start is not answered", async () => {
  await using stub = new StubApi([]);
  const ended = Promise.withResolvers<void>();
  stub.onRequest = () => ({ raw: "", until: ended.promise });
  const { code } = await boot(stub, "throws.handler");
  ended.resolve();
  assertEquals([code, stub.posts.length], [1, 1]);
});
