import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { run, RuntimeApiError } from "./mod.ts";
import { drive, onlyFailure, onlyPost, PATH } from "./testdata/drive.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

class OrderError extends Error {
  override name = "OrderError";
}

for (
  const [name, thrown, type, field] of [
    ["an error", new OrderError("é\r\nInjected: 1"), "OrderError", "Function.OrderError"],
    ["a string", "text", "string", "Function.Unknown"],
    ["nothing", undefined, "undefined", "Function.Unknown"],
    [
      "a name that is no word",
      Object.assign(new Error("x"), { name: "a\r\nb: c" }),
      "a\r\nb: c",
      "Function.Unknown",
    ],
  ] as const
) {
  for (const kind of ["throws", "rejects with"] as const) {
    Deno.test(`run() reports and logs a handler that ${kind} ${name}`, async () => {
      await using stub = new StubApi([invocation(1)]);
      const log = await drive(stub, () => {
        if (kind === "throws") throw thrown;
        return Promise.reject(thrown);
      });
      const failure = onlyFailure(stub);
      assertEquals([failure.type, failure.field], [type, field]);
      assertEquals(onlyPost(stub).headers.injected, undefined);
      assertEquals(log.length, 1);
      assertStringIncludes(log[0]!, "The invocation failed");
    });
  }
}

Deno.test("run() survives an error whose getters throw", async () => {
  const hostile = {
    get message(): string {
      throw new Error("hostile");
    },
  };
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let count = 0;
  await drive(stub, () => {
    if (count++ === 0) throw hostile;
    return "fine";
  });
  assertStringIncludes(stub.posts[0]!.body, "Unreadable: Error: hostile");
  assertEquals(stub.posts[1]!.body, '"fine"');
});

for (
  const [status, said] of [[413, "RequestEntityTooLarge"], [400, "InvalidRequestID"], [
    403,
    "InvalidStateTransition",
  ]] as const
) {
  Deno.test(`run() logs a response that is answered ${status}, reports nothing after it and goes on`, async () => {
    await using stub = new StubApi([invocation(1), invocation(2)]);
    let refused = false;
    stub.onRequest = ({ path }) => {
      if (refused || !path.endsWith("/response")) return undefined;
      refused = true;
      return { status, body: `{"errorType":"${said}"}` };
    };
    const log = await drive(stub, () => 1);
    assertEquals(stub.posts.map(({ path }) => PATH.exec(path)?.[1]), ["response", "response"]);
    assertEquals(log.length, 1);
    assertStringIncludes(
      log[0]!,
      `Cannot answer the invocation: the Runtime API answered ${status}`,
    );
    assertStringIncludes(log[0]!, said);
  });
}

for (const path of ["response", "error"] as const) {
  Deno.test(`run() ends where the platform answers ${path} with 500: the runtime should exit`, async () => {
    await using stub = new StubApi([invocation(1)]);
    stub.onRequest = (request) => request.path.endsWith(path) ? { status: 500 } : undefined;
    const handler = () => path === "error" ? Promise.reject("x") : 1;
    const error = await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
    assertEquals(error.status, 500);
  });
}

for (const status of [204, 400, 403, 500, 503]) {
  Deno.test(`run() ends when next is answered ${status}, without asking again`, async () => {
    await using stub = new StubApi([]);
    stub.onRequest = () => ({ status, body: status === 204 ? "" : "why" });
    const error = await assertRejects(() => run(() => 1, { api: stub.api }), RuntimeApiError);
    assertEquals([error.status, stub.requests.length], [status, 1]);
  });
}

Deno.test("run() ends when an invocation has no id", async () => {
  await using stub = new StubApi([{ body: "1" }]);
  const error = await assertRejects(() => run(() => 1, { api: stub.api }), RuntimeApiError);
  assertStringIncludes(error.message, '"Lambda-Runtime-Aws-Request-Id" is absent');
});

Deno.test("run() ends when nobody listens, and names the address", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const api = `127.0.0.1:${listener.addr.port}`;
  listener.close();
  const error = await assertRejects(() => run(() => 1, { api }), RuntimeApiError);
  assertStringIncludes(error.message, `Cannot reach the Runtime API at ${api}: `);
});

Deno.test("run() takes a refusal that comes before a large response has been read", async () => {
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let early = 0;
  stub.onHead = (path) =>
    path.endsWith("/response") && early++ === 0
      ? { status: 413, body: "RequestEntityTooLarge", headers: { Connection: "close" } }
      : undefined;
  const log = await drive(stub, (event) => event === 1 ? "x".repeat(20_000_000) : "small");
  assertEquals(stub.posts.map(({ body }) => body), ['"small"']);
  assertEquals(log.length, 1);
  assertMatch(log[0]!, /answered 413|closed the connection|connection/i);
});
