import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runProcess } from "./testdata/run_process.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

const FAULTS = new URL("testdata/serve_faults.ts", import.meta.url).pathname;
const SERVE = new URL("testdata/serve_with_shutdown.ts", import.meta.url).pathname;

Deno.test("serve() registers an extension for a shutdown callback, and calls it at SIGTERM", async () => {
  await using stub = new StubApi([invocation('"Ada"')]);
  const arrived = Promise.withResolvers<void>();
  stub.onRequest = ({ path, headers, body }) => {
    if (path === "/2020-01-01/extension/register") {
      assertEquals(body, '{"events":[]}');
      assertEquals(headers["lambda-extension-name"], "mate-core-shutdown");
      return { headers: { "Lambda-Extension-Identifier": "ext-1" }, body: "{}" };
    }
    if (path === "/2020-01-01/extension/event/next") {
      assertEquals(headers["lambda-extension-identifier"], "ext-1");
      return { delay: 800 };
    }
    if (!path.endsWith("/next") || stub.posts.length < 2) return undefined;
    arrived.resolve();
    return { delay: 800, status: 410 };
  };
  const { code, log } = await runProcess(
    SERVE,
    { AWS_LAMBDA_RUNTIME_API: stub.api },
    async (child) => {
      await arrived.promise;
      child.kill("SIGTERM");
    },
  );
  assertEquals(stub.posts.map(({ body }) => body), ['{"events":[]}', '"Hello Ada"']);
  assertEquals(code, 0);
  assertMatch(log, /bye/);
});

Deno.test("serve() calls the shutdown callback also where it ends well, and says what the platform no longer does", async () => {
  await using stub = new StubApi([invocation('"Ada"')]);
  const arrived = Promise.withResolvers<void>();
  stub.onRequest = ({ path }) => {
    if (path === "/2020-01-01/extension/register") {
      return { headers: { "Lambda-Extension-Identifier": "ext-1" }, body: "{}" };
    }
    if (path === "/2020-01-01/extension/event/next") {
      return { raw: "nonsense\r\n\r\n", close: true };
    }
    if (!path.endsWith("/next") || stub.posts.length < 2) return undefined;
    arrived.resolve();
    return { delay: 800, status: 410 };
  };
  const { code, log } = await runProcess(
    SERVE,
    { AWS_LAMBDA_RUNTIME_API: stub.api, FAULT: "0" },
    async (child) => {
      await arrived.promise;
      child.kill("SIGTERM");
    },
  );
  assertEquals([code, log.includes("The shutdown failed")], [0, false]);
  assertMatch(log, /no longer announced[^]*bye/);
});

Deno.test("serve() goes on without announced shutdowns where the platform has none", async () => {
  await using stub = new StubApi([invocation('"Ada"')]);
  stub.onRequest = ({ path }) => path.includes("/extension/") ? { status: 404 } : undefined;
  const { log } = await runProcess(SERVE, { AWS_LAMBDA_RUNTIME_API: stub.api });
  assertEquals(stub.posts.at(-1)!.body, '"Hello Ada"');
  assertStringIncludes(log, "registering the extension was answered 404");
});

for (
  const [name, env, type, message] of [
    ["no function", {}, "Runtime.HandlerNotFound", "expected a function, got string"],
    ["callback", {}, "Runtime.CallbackHandlerDeprecated", "takes a callback"],
    ["rejection", {}, "Function.RangeError", "nobody handles this"],
    ["concurrency", { AWS_LAMBDA_MAX_CONCURRENCY: "many" }, "Function.TypeError", 'got "many"'],
  ] as const
) {
  Deno.test(`serve() reports a start that fails: ${name}`, async () => {
    await using stub = new StubApi([invocation(1)]);
    const environment = { AWS_LAMBDA_RUNTIME_API: stub.api, FAULT: name, ...env };
    const { code, log } = await runProcess(FAULTS, environment);
    assertEquals(code, 1);
    assertEquals(stub.requests.map(({ path }) => path), ["/2018-06-01/runtime/init/error"]);
    assertEquals(stub.posts[0]!.headers["lambda-runtime-function-error-type"], type);
    assertStringIncludes(stub.posts[0]!.body, JSON.stringify(message).slice(1, -1));
    assertStringIncludes(log, message);
  });
}
