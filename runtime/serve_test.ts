import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DENO, runProcess } from "./testdata/run_process.ts";
import { invocation, type StubAnswer, StubApi } from "./testdata/stub_api.ts";

const PROGRAM = [...DENO, new URL("testdata/serve.ts", import.meta.url).pathname];
const REGISTERED = { headers: { "Lambda-Extension-Identifier": "ext-1" }, body: "{}" };

/** Runs the program `testdata/serve.ts`, which behaves as the name says. */
function start(stub: StubApi, name: string, during?: (child: Deno.ChildProcess) => Promise<void>) {
  return runProcess(PROGRAM, { AWS_LAMBDA_RUNTIME_API: stub.api, PROGRAM: name }, during);
}

/** Runs the program until it has served its events. Then sends SIGTERM. */
async function serveUntilTerm(
  stub: StubApi,
  program: string,
  onEvent: () => StubAnswer,
  times = 1,
) {
  const arrived = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  stub.onRequest = ({ path, headers, body }) => {
    if (path === "/2020-01-01/extension/register") {
      const sent = [body, headers["lambda-extension-name"]];
      assertEquals(sent, ['{"events":[]}', "mate-core-shutdown"]);
      return REGISTERED;
    }
    if (path === "/2020-01-01/extension/event/next") {
      assertEquals(headers["lambda-extension-identifier"], "ext-1");
      return { until: ended.promise, ...onEvent() };
    }
    if (!path.endsWith("/next") || stub.posts.length < 2) return undefined;
    arrived.resolve();
    return { until: ended.promise, raw: "" };
  };
  const result = await start(stub, program, async (child) => {
    const early = await Promise.race([arrived.promise, child.status]);
    if (early) return; // The test compares the status and the log.
    for (let i = 0; i < times; i++) {
      child.kill("SIGTERM");
      await new Promise((resolve) => setTimeout(resolve, 150)); // or two signals would be one
    }
  });
  ended.resolve();
  return result;
}

Deno.test("serve() registers an extension for a shutdown callback, and calls it once at SIGTERM", async () => {
  await using stub = new StubApi([invocation("Ada")]);
  const { code, log } = await serveUntilTerm(stub, "slow shutdown", () => ({}), 2);
  assertEquals(stub.posts.map(({ body }) => body), ['{"events":[]}', '"Hello Ada"']);
  assertEquals([code, log], [0, "bye\n"]);
});

Deno.test("serve() logs a shutdown callback that fails, and ends with 0", async () => {
  await using stub = new StubApi([invocation("Ada")]);
  const { code, log } = await serveUntilTerm(stub, "failing shutdown", () => ({}));
  assertEquals(code, 0);
  assertMatch(log, /ERROR\tThe shutdown failed .*on the way out/);
});

Deno.test("serve() logs that the platform no longer announces shutdowns, and still calls the callback", async () => {
  await using stub = new StubApi([invocation("Ada")]);
  const nonsense = () => ({ until: undefined, raw: "nonsense\r\n\r\n", close: true });
  const { code, log } = await serveUntilTerm(stub, "slow shutdown", nonsense);
  assertEquals(code, 0);
  assertMatch(log, /does not announce shutdowns any more[^]*bye/);
});

Deno.test("serve() goes on if the platform does not register the extension", async () => {
  const cases = [
    [{ status: 404 }, "The Extensions API answered 404"],
    [{ raw: "", close: true }, "closed the connection"],
  ] as const;
  for (const [answer, message] of cases) {
    await using stub = new StubApi([invocation("Ada")]);
    stub.onRequest = ({ path }) => path.includes("/extension/") ? answer : undefined;
    const { log } = await start(stub, "slow shutdown");
    assertEquals(stub.posts.at(-1)!.body, '"Hello Ada"');
    assertMatch(log, /WARN\tCannot register for the shutdown/);
    assertStringIncludes(log, message);
  }
});

Deno.test("serve() fails a handler that never settles, also after the extension connected again", async () => {
  for (const connections of [1, 2]) {
    await using stub = new StubApi([]);
    const isWaiting = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let asked = 0;
    stub.onRequest = ({ path }) => {
      if (path.endsWith("/register")) return REGISTERED;
      if (path.endsWith("/event/next")) {
        if (++asked < connections) return { raw: "", close: true };
        isWaiting.resolve();
        return { until: ended.promise, raw: "" };
      }
      return path.endsWith("/next") ? { ...invocation(1), until: isWaiting.promise } : undefined;
    };
    const { code } = await start(stub, "never", async (child) => {
      const stop = setTimeout(() => child.kill("SIGKILL"), 60_000);
      await child.status;
      clearTimeout(stop);
    });
    ended.resolve();
    assertEquals([code, asked], [1, connections]);
    assertStringIncludes(stub.posts.at(-1)!.body, "Runtime.NeverSettled");
  }
});

Deno.test("serve() reports a handler that is not a function as a failed start", async () => {
  await using stub = new StubApi([invocation(1)]);
  const { code, log } = await start(stub, "no function");
  const paths = stub.requests.map(({ path }) => path);
  assertEquals([code, paths], [1, ["/2018-06-01/runtime/init/error"]]);
  for (const text of [stub.posts[0]!.body, log]) {
    assertStringIncludes(text, "expected a function, got string");
  }
});

Deno.test("serve() keeps the limit of frames that the function has set", async () => {
  await using stub = new StubApi([invocation(1)]);
  const { log } = await start(stub, "20 frames");
  const parts = log.slice(0, log.indexOf("\n")).split("[cause]:");
  assertEquals(parts.map((part) => part.match(/at dive /g)?.length), [20, 20, 20]);
});
