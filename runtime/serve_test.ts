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

for (
  const [problem, answer, message] of [
    ["refuses", { status: 404 }, "the Extensions API answered 404"],
    ["answers without an id", { status: 200 }, "the Extensions API answered 200"],
    ["closes the connection", { raw: "", close: true }, "closed the connection"],
  ] as const
) {
  Deno.test(`serve() goes on without announced shutdowns where the platform ${problem}`, async () => {
    await using stub = new StubApi([invocation('"Ada"')]);
    stub.onRequest = ({ path }) => path.includes("/extension/") ? answer : undefined;
    const { log } = await runProcess(SERVE, { AWS_LAMBDA_RUNTIME_API: stub.api });
    assertEquals(stub.posts.at(-1)!.body, '"Hello Ada"');
    assertMatch(log, /WARN\tCannot have shutdowns announced/);
    assertStringIncludes(log, message);
  });
}

Deno.test("serve() notices that a handler never settles, although the extension had to connect again", async () => {
  await using stub = new StubApi([]);
  const connectedAgain = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let asked = 0;
  stub.onRequest = ({ path }) => {
    if (path.endsWith("/register")) return { headers: { "Lambda-Extension-Identifier": "ext-1" } };
    if (path.endsWith("/event/next")) {
      if (asked++ === 0) return { raw: "", close: true };
      connectedAgain.resolve();
      return { until: ended.promise, raw: "" };
    }
    return path.endsWith("/next") ? { ...invocation(1), until: connectedAgain.promise } : undefined;
  };
  const { code } = await runProcess(
    FAULTS,
    { AWS_LAMBDA_RUNTIME_API: stub.api, FAULT: "never" },
    async (child) => {
      const stop = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await child.status;
      clearTimeout(stop);
    },
  );
  ended.resolve();
  assertEquals([code, asked], [1, 2]);
  assertStringIncludes(stub.posts.at(-1)!.body, "Runtime.NeverSettled");
});

Deno.test("serve() calls the shutdown callback once, however often SIGTERM comes", async () => {
  await using stub = new StubApi([]);
  const arrived = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  stub.onRequest = ({ path }) => {
    if (path.endsWith("/register")) return { headers: { "Lambda-Extension-Identifier": "ext-1" } };
    if (path.endsWith("/invocation/next")) arrived.resolve();
    return { until: ended.promise, raw: "" };
  };
  const { code, log } = await runProcess(
    FAULTS,
    { AWS_LAMBDA_RUNTIME_API: stub.api, FAULT: "slow shutdown" },
    async (child) => {
      await arrived.promise;
      child.kill("SIGTERM");
      await new Promise((resolve) => setTimeout(resolve, 150)); // or both would be one
      child.kill("SIGTERM");
    },
  );
  ended.resolve();
  assertEquals([code, log], [0, "bye\n"]);
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
