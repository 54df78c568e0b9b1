import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { boot, BOOTSTRAP, DENO, runProcess, TASK_ROOT } from "./testdata/run_process.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

Deno.test("the bootstrap serves the handler that _HANDLER names, and ends with 1 if the API refuses", async () => {
  const cases = [
    ["index.handler", '{"got":1}'],
    ["index.app.handle", '"app"'],
    ["common.handler", '"cjs"'],
    ["nested/a b#1%.handler", '"deep"'],
    ["typed.handler", '"typed"'],
    ["typed_module.handler", '"typed"'],
    [`${TASK_ROOT}/index.handler`, '{"got":1}'],
  ] as const;
  for (const [handler, body] of cases) {
    await using stub = new StubApi([invocation(1)]);
    const proxy = "http://127.0.0.1:1"; // must not be used
    const { code, log } = await boot(stub, handler, { HTTP_PROXY: proxy, http_proxy: proxy });
    assertEquals([code, stub.posts.map((post) => post.body)], [1, [body]], handler);
    assertMatch(log, /The runtime cannot go on .*answered 410/);
  }
});

Deno.test("the bootstrap reports why the function did not start", async () => {
  const cases = [
    ["nowhere.handler", "Runtime.ImportModuleError", "no module"],
    [`${"x".repeat(300)}.handler`, "Function.Error", "File name too long"],
    ["missing_import.handler", "Runtime.ImportModuleError", "nowhere.js"],
    ["missing_require.handler", "Runtime.ImportModuleError", "nowhere.js"],
    ["index.nothing", "Runtime.HandlerNotFound", 'exports no "nothing"'],
    ["index.constructor", "Runtime.HandlerNotFound", 'exports no "constructor"'],
    ["index.handler.toString.x", "Runtime.HandlerNotFound", "exports no"],
    ["index.text", "Runtime.HandlerNotFound", "expected a function, got string"],
    ["index.web", "Runtime.HandlerNotFound", "handler of the application with fetchHandler()"],
    ["index.old", "Runtime.CallbackHandlerDeprecated", "takes a callback"],
    ["", "Runtime.MalformedHandlerName", 'Invalid _HANDLER ""'],
    ["index", "Runtime.MalformedHandlerName", '"index"'],
    ["index.", "Runtime.MalformedHandlerName", '"index."'],
    [".handler", "Runtime.MalformedHandlerName", '".handler"'],
    ["../task/index.handler", "Runtime.MalformedHandlerName", '".."'],
    ["throws.handler", "Function.RangeError", "no such configuration"],
    ["parse.handler", "Runtime.UserCodeSyntaxError", "parse.js"],
    ["twice.handler", "Runtime.UserCodeSyntaxError", "twice.js"],
    ["index.handler", "Runtime.ImportModuleError", '"/index"', { LAMBDA_TASK_ROOT: "" }],
    ["index.handler", "Runtime.ImportModuleError", "/away/index", { LAMBDA_TASK_ROOT: "/away" }],
  ] as const;
  for (const [handler, type, message, env] of cases) {
    await using stub = new StubApi([invocation(1)]);
    const { code, log } = await boot(stub, handler, env);
    assertEquals(code, 1);
    assertEquals(stub.requests.map(({ path }) => path), ["/2018-06-01/runtime/init/error"]);
    const { headers, body } = stub.posts[0]!;
    assertEquals(headers["lambda-runtime-function-error-type"], type, handler);
    assertStringIncludes(JSON.parse(body).errorMessage, message);
    assertStringIncludes(log, message);
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
  const concurrent = { AWS_LAMBDA_RUNTIME_API: api, AWS_LAMBDA_MAX_CONCURRENCY: "many" };
  const cases: [Record<string, string>, string][] = [
    [{}, "AWS_LAMBDA_RUNTIME_API is not set"],
    [{ AWS_LAMBDA_RUNTIME_API: "nonsense" }, 'Invalid AWS_LAMBDA_RUNTIME_API "nonsense"'],
    [concurrent, 'Invalid AWS_LAMBDA_MAX_CONCURRENCY "many"'],
  ];
  for (const [env, message] of cases) {
    const { code, log } = await runProcess([...DENO, BOOTSTRAP], env);
    assertEquals(code, 1);
    assertStringIncludes(log, message);
  }
});

Deno.test("the bootstrap reports an uncaught error of an invocation, logs the error once, and ends with 1", async () => {
  const cases = [
    ["never", "Runtime.NeverSettled", "The handler never settled"],
    ["rejection", "Function.TypeError", "nobody handles this"],
    ["uncaught", "Function.RangeError", "nobody catches this"],
  ] as const;
  for (const [fault, type, message] of cases) {
    for (const before of [[], [invocation({ fault: "none" })]]) {
      const id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
      await using stub = new StubApi([
        ...before,
        invocation({ fault }, { "Lambda-Runtime-Aws-Request-Id": id }),
        invocation({ fault: "none" }),
      ]);
      const { code, log } = await boot(stub, "index.faults");
      const posts = before.length + 1;
      assertEquals([code, stub.posts.length], [1, posts], fault);
      assertEquals(stub.requests.length, 2 * posts, "nothing is fetched after the error");
      const { path, headers, body } = stub.posts.at(-1)!;
      assertEquals(path, `/2018-06-01/runtime/invocation/${id}/error`);
      assertEquals(headers["lambda-runtime-function-error-type"], type);
      assertStringIncludes(JSON.parse(body).errorMessage, message);
      assertMatch(log, new RegExp(`\t${id}\tFATAL\t.*${message}`));
      assertEquals(log.split(message).length, 2);
    }
  }
});

Deno.test("the bootstrap fails all invocations under way, and logs the id of the faulty one if it is known", async () => {
  // Deno runs the listener for a rejection in the context of the invocation, and the listener for an uncaught error in none.
  for (const [fault, id] of [["rejection", "b"], ["uncaught", ""]] as const) {
    await using stub = new StubApi(["never", fault].map((fault, i) => {
      const headers = { "Lambda-Runtime-Aws-Request-Id": "ab"[i]! };
      return invocation({ fault }, headers, { delay: i * 50 });
    }));
    const { code, log } = await boot(stub, "index.faults", { AWS_LAMBDA_MAX_CONCURRENCY: "2" });
    const paths = stub.posts.map(({ path }) => path.split("/").slice(-2).join("/"));
    assertEquals([code, paths.toSorted()], [1, ["a/error", "b/error"]]);
    assertEquals(log.split("\t")[1], id);
  }
});

Deno.test("the bootstrap ends a stream under way with trailers", async () => {
  const types = { "stream": "Function.RangeError", "stuck stream": "Runtime.NeverSettled" };
  for (const [fault, type] of Object.entries(types)) {
    await using stub = new StubApi([invocation({ fault })]);
    const { code } = await boot(stub, "index.faults");
    assertEquals([code, stub.posts.length], [1, 1], fault);
    assertEquals(stub.posts[0]!.body, "first");
    assertEquals(stub.posts[0]!.trailers["lambda-runtime-function-error-type"], type);
  }
});

Deno.test("the bootstrap reports the first of several errors, and logs all", async () => {
  await using stub = new StubApi([invocation({ fault: "two" })]);
  const { code, log } = await boot(stub, "index.faults");
  assertEquals([code, stub.posts.length], [1, 1]);
  assertEquals(JSON.parse(stub.posts[0]!.body).errorMessage, "first");
  assertMatch(log, /first[^]*second/);
});

Deno.test("the bootstrap ends with 1 even if the report of an error is refused", async () => {
  await using stub = new StubApi([invocation({ fault: "uncaught" })]);
  stub.onRequest = ({ path }) => path.endsWith("/error") ? { status: 500 } : undefined;
  const { code, log } = await boot(stub, "index.faults");
  assertEquals([code, stub.posts.length], [1, 1]);
  assertStringIncludes(log, "nobody catches this");
});

Deno.test("the bootstrap reports a rejection in the handler's module once, and starts nothing meanwhile", async () => {
  await using stub = new StubApi([invocation(1)]);
  stub.onRequest = ({ path }) => path.endsWith("/init/error") ? { delay: 200 } : undefined;
  const { code, log } = await boot(stub, "late.handler");
  assertEquals([code, stub.requests.length], [1, 1]);
  assertStringIncludes(stub.posts[0]!.body, "nobody handles this");
  assertStringIncludes(log, "nor this");
  assertEquals(log.includes("Cannot report"), false);
});

Deno.test("the bootstrap fails an invocation that comes while the process ends, and does not run it", async () => {
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
  const { code } = await boot(stub, "index.faults", { AWS_LAMBDA_MAX_CONCURRENCY: "2" });
  assertEquals(code, 1);
  assertEquals(stub.posts.map(({ path }) => path.split("/").at(-1)), ["error", "error"]);
  for (const { body } of stub.posts) assertStringIncludes(body, "nobody catches this");
});

Deno.test("the bootstrap ends even if nobody reads the stream or answers the report", async () => {
  const cases = [
    ["index.faults", "/response", "aside"],
    ["throws.handler", "/init/error", "no such configuration"],
  ] as const;
  for (const [handler, request, message] of cases) {
    await using stub = new StubApi([invocation({ fault: "unread stream" })]);
    const ended = Promise.withResolvers<void>();
    const unanswered = { raw: "", until: ended.promise };
    stub.onHead = (path) => path.endsWith(request) ? unanswered : undefined;
    const { code, log } = await boot(stub, handler);
    ended.resolve();
    assertEquals([code, stub.posts], [1, []]);
    assertStringIncludes(log, message);
  }
});

Deno.test("the bootstrap sends the console through the logger, with the id of each invocation", async () => {
  for (const format of ["Text", "JSON"]) {
    await using stub = new StubApi(["a", "b", "c"].map((id, i) => {
      return invocation({ delay: 50 - i * 20 }, { "Lambda-Runtime-Aws-Request-Id": id });
    }));
    const answered = Promise.withResolvers<void>();
    stub.onRequest = ({ path }) => {
      if (stub.posts.length === 3) answered.resolve();
      const isLast = path.endsWith("/next") && stub.requests.length > 3;
      return isLast ? { until: answered.promise, status: 410 } : undefined;
    };
    const { log } = await boot(stub, "console.handler", {
      AWS_LAMBDA_MAX_CONCURRENCY: "3",
      AWS_LAMBDA_LOG_FORMAT: format,
      AWS_LAMBDA_LOG_LEVEL: "INFO",
    });
    const records = log.trim().split("\n").map((line) => {
      if (format === "Text") return line.split("\t").slice(1);
      const { requestId, level, message, data } = JSON.parse(line);
      return [requestId, level, data ? `${message} ${JSON.stringify(data)}` : message];
    });
    assertEquals(records.shift(), ["", "INFO", "module loaded"]);
    records.pop(); // the refusal
    const expected = ["a", "b", "c"].flatMap((id) => {
      return [[id, "INFO", `${id} begins`], [id, "WARN", `waited {"id":"${id}"}`]];
    });
    assertEquals(records.toSorted(), expected);
  }
});

Deno.test("the bootstrap shows 50 frames of each error of a chain, unless the function sets the limit", async () => {
  // By default, the engine keeps 10 frames.
  for (const [handler, frames] of [["deep.handler", 50], ["deep_10.handler", 10]] as const) {
    for (const format of ["Text", "JSON"]) {
      await using stub = new StubApi([invocation(1)]);
      const { log } = await boot(stub, handler, { AWS_LAMBDA_LOG_FORMAT: format });
      const parts = log.slice(0, log.indexOf("\n")).split(/"cause":|\[cause\]:/);
      assertEquals(parts.map((part) => part.match(/at dive /g)?.length), Array(3).fill(frames));
      for (const [index, message] of ["no order", "no connection", "refused"].entries()) {
        assertStringIncludes(parts[index]!, message);
      }
    }
  }
});
