import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { FnContext } from "../function/mod.ts";
import { withRequestId } from "../logger/mod.ts";
import { loggerState } from "../logger/_state.ts";
import { run, RuntimeApiError } from "./mod.ts";
import { invocation, render, StubApi, type StubRequest } from "./testdata/stub_api.ts";

/** Runs the loop until the stub has no more events; what was logged meanwhile. */
async function drive<Event, Result>(
  stub: StubApi,
  handler: (event: Event, context: FnContext) => Result | Promise<Result>,
): Promise<string[]> {
  const state = loggerState();
  const lines: string[] = [];
  const before = state.write!;
  state.write = (line) => lines.push(line);
  try {
    const error = await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
    assertEquals([error.message, error.status], [
      "Cannot fetch the next invocation: the Runtime API answered 410 no more",
      410,
    ]);
  } finally {
    state.write = before;
  }
  return lines;
}

const PATH = /^\/2018-06-01\/runtime\/invocation\/[\w-]+\/(response|error)$/;

/** What the only report says. */
function onlyPost(stub: StubApi): StubRequest {
  assertEquals(stub.posts.length, 1);
  assertMatch(stub.posts[0]!.path, PATH);
  return stub.posts[0]!;
}

/** The only report, which is of a failure. */
function onlyFailure(stub: StubApi): { type: string; message: string; field: string } {
  const { path, body, headers } = onlyPost(stub);
  assertEquals(path.endsWith("/error"), true);
  const { errorType, errorMessage, stackTrace } = JSON.parse(body);
  assertEquals(Array.isArray(stackTrace), true);
  JSON.parse(headers["lambda-runtime-function-xray-error-cause"]!);
  const field = headers["lambda-runtime-function-error-type"]!;
  return { type: errorType, message: errorMessage, field };
}

Deno.test("run() polls, answers under the invocation's id, and keeps one connection", async () => {
  const ids = ["a-1", "b-2", "c-3"];
  await using stub = new StubApi(ids.map((id) => {
    return invocation({ id }, { "Lambda-Runtime-Aws-Request-Id": id });
  }));
  await drive(stub, (event: { id: string }) => Promise.resolve({ seen: event.id }));
  assertEquals(
    stub.posts.map(({ path, body }) => [path, body]),
    ids.map((id) => [`/2018-06-01/runtime/invocation/${id}/response`, `{"seen":"${id}"}`]),
  );
  assertEquals(stub.requests[0]!.path, "/2018-06-01/runtime/invocation/next");
  assertEquals(stub.requests[0]!.headers.host, stub.api);
  assertEquals(stub.connections, 1);
});

Deno.test("run() gives what the headers say of the invocation as the context", async () => {
  const deadline = Date.now() + 5_000;
  await using stub = new StubApi([invocation(1, {
    "LAMBDA-RUNTIME-AWS-REQUEST-ID": "r-1",
    "Lambda-Runtime-Deadline-Ms": String(deadline),
    "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-west-1:1:function:f",
    "Lambda-Runtime-Client-Context": '{"custom":{"k":"é"}}',
    "Lambda-Runtime-Cognito-Identity": '{"cognitoIdentityId":"c"}',
    "Lambda-Runtime-Aws-Tenant-Id": "tenant",
  })]);
  let seen: FnContext | undefined;
  await drive(stub, (_event, context) => void (seen = context));
  const { getRemainingTimeInMillis, awsRequestId, ...rest } = seen!;
  assertEquals(awsRequestId.endsWith("r-1"), true);
  assertEquals(rest, {
    functionName: "",
    functionVersion: "",
    memoryLimitInMB: "",
    logGroupName: "",
    logStreamName: "",
    invokedFunctionArn: "arn:aws:lambda:eu-west-1:1:function:f",
    clientContext: { custom: { k: "é" } },
    identity: { cognitoIdentityId: "c" },
    tenantId: "tenant",
  });
  const left = getRemainingTimeInMillis();
  assertEquals(left >= 0 && left <= 5_000, true);
});

Deno.test("run() makes a context of an invocation that says nothing but its id", async () => {
  await using stub = new StubApi([
    invocation(1),
    invocation(2, {
      "Lambda-Runtime-Deadline-Ms": "1",
      "Lambda-Runtime-Client-Context": "null",
    }),
  ]);
  const seen: FnContext[] = [];
  await drive(stub, (_event, context) => void seen.push(context));
  assertEquals(seen[0]!.invokedFunctionArn, "");
  assertEquals([seen[0]!.clientContext, seen[0]!.identity, seen[0]!.tenantId], [
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(seen[0]!.getRemainingTimeInMillis(), Infinity);
  assertEquals([seen[1]!.getRemainingTimeInMillis(), seen[1]!.clientContext], [0, undefined]);
});

for (const text of ["{", "5", "[]"]) {
  Deno.test(`run() fails the invocation whose client context is ${text}`, async () => {
    const headers = { "Lambda-Runtime-Client-Context": text };
    await using stub = new StubApi([invocation(1, headers)]);
    await drive(stub, () => 1);
    assertEquals(onlyFailure(stub).field, "Runtime.UnmarshalError");
  });
}

Deno.test("run() sets the trace variable for each invocation, and deletes it where there is none", async () => {
  const trace = "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1";
  await using stub = new StubApi([
    invocation(1, { "Lambda-Runtime-Trace-Id": trace }),
    invocation(2),
  ]);
  const seen: unknown[] = [];
  await drive(stub, () => void seen.push(Deno.env.get("_X_AMZN_TRACE_ID")));
  assertEquals(seen, [trace, undefined]);
});

Deno.test("run() sets the logger's request id for each invocation", async () => {
  await using stub = new StubApi([
    invocation(1, { "Lambda-Runtime-Aws-Request-Id": "id-1" }),
    invocation(2, { "Lambda-Runtime-Aws-Request-Id": "id-2" }),
  ]);
  const seen: unknown[] = [];
  await drive(stub, () => void seen.push(loggerState().requestId));
  assertEquals([...seen, loggerState().requestId], ["id-1", "id-2", ""]);
});

for (
  const [name, result, body] of [
    ["undefined", undefined, "null"],
    ["null", null, "null"],
    ["a string", "é\ud800", '"é\\ud800"'],
    ["an object", { a: [1, undefined], b: undefined }, '{"a":[1,null]}'],
    ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a thenable", { then: (done: (value: unknown) => void) => done(5) }, "5"],
  ] as const
) {
  Deno.test(`run() answers with JSON: ${name}`, async () => {
    await using stub = new StubApi([invocation(1)]);
    await drive(stub, () => result as unknown);
    assertEquals(onlyPost(stub).body, body);
    assertEquals(onlyPost(stub).headers["content-type"], "application/json");
  });
}

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

for (
  const [name, result] of [
    ["a cycle", cycle],
    ["a bigint", { n: 1n }],
    ["a function", () => {}],
    ["a symbol", Symbol("x")],
    ["a toJSON() that throws", {
      toJSON() {
        throw new Error("no");
      },
    }],
  ] as const
) {
  Deno.test(`run() fails the invocation whose result is ${name}`, async () => {
    await using stub = new StubApi([invocation(1), invocation(2)]);
    let count = 0;
    await drive(stub, () => count++ === 0 ? result : "fine");
    assertStringIncludes(stub.posts[0]!.body, "Cannot send what the handler returned: ");
    assertEquals(
      stub.posts[0]!.headers["lambda-runtime-function-error-type"],
      "Runtime.MarshalError",
    );
    assertEquals(stub.posts[1]!.body, '"fine"', "the loop goes on");
  });
}

for (const [name, event] of [["no JSON", "{"], ["empty", ""], ["a byte order mark", "\ufeff1"]]) {
  Deno.test(`run() fails the invocation whose event is ${name}`, async () => {
    await using stub = new StubApi([invocation(event)]);
    let called = false;
    await drive(stub, () => void (called = true));
    assertEquals([onlyFailure(stub).field, called], ["Runtime.UnmarshalError", false]);
  });
}

Deno.test("run() fails the invocation whose event is no UTF-8", async () => {
  await using stub = new StubApi([{ ...invocation(1), body: new Uint8Array([34, 255, 34]) }]);
  await drive(stub, () => 1);
  assertEquals(onlyFailure(stub).field, "Runtime.UnmarshalError");
});

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
  assertStringIncludes(stub.posts[0]!.body, "Cannot describe what was thrown");
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

Deno.test("run() opens a connection again that was closed while idle", async () => {
  await using stub = new StubApi([
    invocation(1),
    invocation(2, {}, { close: true }), // closed before the response
    invocation(3),
  ]);
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && stub.posts.length === 1
      ? { status: 202, close: true }
      : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "2", "3"]);
  assertEquals([stub.connections, log], [3, []]);
});

Deno.test("run() answers once more where the connection is lost before the answer's first byte, and no more", async () => {
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let drops = 0;
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && drops++ === 0 ? { raw: "", close: true } : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "1", "2"]);
  assertEquals(log, []);
});

Deno.test("run() gives up a response whose connection is lost twice, logs it, and goes on", async () => {
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let drops = 0;
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && drops++ < 2 ? { raw: "", close: true } : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "1", "2"]);
  assertStringIncludes(log.join(), "closed the connection before it answered");
});

Deno.test("run() does not answer again where the connection is lost within the answer", async () => {
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let drops = 0;
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && drops++ === 0
      ? { raw: "HTTP/1.1 202 Acc", close: true }
      : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "2"]);
  assertEquals(log.length, 1);
});

Deno.test("run() does not fetch an invocation again that was lost on the way", async () => {
  await using stub = new StubApi([]);
  stub.onRequest = () => ({
    raw: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nLambda-Runtime-Aws-Request-Id: 1\r\n\r\n{",
    close: true,
  });
  await assertRejects(() => run(() => 1, { api: stub.api }), RuntimeApiError, "ended before");
  assertEquals(stub.requests.length, 1);
});

Deno.test("run() waits for an API that answers late, and bit by bit", async () => {
  await using stub = new StubApi([
    invocation({ text: "é€😀" }, {}, { delay: 150, pieces: 7 }),
    { raw: render(invocation("[1]", { "Transfer-Encoding": "chunked" }, {})), delay: 1 },
  ]);
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") ? { status: 202, pieces: 1, delay: 20 } : undefined;
  // The second is chunked and has a length as well, which is how messages are smuggled.
  const error = await assertRejects(
    () => run((event) => event, { api: stub.api }),
    RuntimeApiError,
  );
  assertStringIncludes(error.message, "malformed Transfer-Encoding");
  assertEquals(onlyPost(stub).body, '{"text":"é€😀"}');
});

for (const size of [100, 10_000, 11_000, 40_000, 6_291_556, 6_291_557]) {
  Deno.test(`run() carries ${size} bytes in and out`, async () => {
    const text = "x".repeat(size - 2);
    await using stub = new StubApi([invocation(JSON.stringify(text))]);
    await drive(stub, (event) => event);
    assertEquals(onlyPost(stub).size, size);
    assertEquals(onlyPost(stub).body === `"${text}"`, true);
  });
}

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

Deno.test("run() reaches an API at an IPv6 address", async () => {
  await using stub = new StubApi([invocation("6")], "::1");
  await drive(stub, (event) => event);
  assertEquals(onlyPost(stub).headers.host, stub.api);
  assertMatch(stub.api, /^\[::1\]:/);
});

Deno.test("run() passes every proxy by", async () => {
  Deno.env.set("HTTP_PROXY", "http://127.0.0.1:1");
  Deno.env.set("http_proxy", "http://127.0.0.1:1");
  try {
    await using stub = new StubApi([invocation(1)]);
    await drive(stub, (event) => event);
    assertEquals(onlyPost(stub).body, "1");
  } finally {
    Deno.env.delete("HTTP_PROXY");
    Deno.env.delete("http_proxy");
  }
});

Deno.test("run() fetches as many invocations at once as the environment says, each with its own context", async () => {
  Deno.env.set("AWS_LAMBDA_MAX_CONCURRENCY", "3");
  Deno.env.set("_X_AMZN_TRACE_ID", "left alone");
  try {
    await using stub = new StubApi(["a", "b", "c", "d"].map((id) => {
      const headers = { "Lambda-Runtime-Aws-Request-Id": id, "Lambda-Runtime-Trace-Id": id };
      return invocation(JSON.stringify(id), headers);
    }));
    let release = () => {};
    const all = new Promise<void>((resolve) => release = resolve);
    let running = 0;
    let most = 0;
    const handler = async (event: string, context: FnContext) => {
      most = Math.max(most, ++running);
      if (running === 3) release();
      await all;
      running--;
      assertEquals(Deno.env.get("_X_AMZN_TRACE_ID"), "left alone");
      return [event, context.awsRequestId];
    };
    stub.onRequest = ({ path }) => {
      // The end must not overtake the answers.
      return path.endsWith("/next") && stub.requests.length > 4 && stub.posts.length < 4
        ? { delay: 100, status: 410, body: "no more" }
        : undefined;
    };
    await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
    assertEquals(most, 3);
    for (const { path, body } of stub.posts) {
      const [event, id] = JSON.parse(body);
      assertEquals([event, path.split("/").at(-2)], [id, id]);
    }
  } finally {
    Deno.env.delete("AWS_LAMBDA_MAX_CONCURRENCY");
    Deno.env.delete("_X_AMZN_TRACE_ID");
  }
});

for (const text of ["", "0", "-1", "x", "1.5", "10000"]) {
  Deno.test(`run() refuses ${JSON.stringify(text)} invocations at once`, async () => {
    Deno.env.set("AWS_LAMBDA_MAX_CONCURRENCY", text);
    try {
      await assertRejects(() => run(() => 1, { api: "127.0.0.1:1" }), TypeError, "MAX_CONCURRENCY");
    } finally {
      Deno.env.delete("AWS_LAMBDA_MAX_CONCURRENCY");
    }
  });
}

Deno.test("run() refuses what it cannot run", async () => {
  const api = "127.0.0.1:1";
  await assertRejects(() => run("x" as never, { api }), Error, "expected a function, got string");
  // deno-lint-ignore no-explicit-any -- a handler as it was written for older runtimes
  const old: any = (_event: unknown, _context: unknown, callback: () => void) => callback();
  await assertRejects(() => run(old, { api }), Error, "takes a callback");
  await assertRejects(() => run(() => 1, { api: "nowhere" }), TypeError, '"nowhere"');
  await assertRejects(() => run(() => 1), Error, "AWS_LAMBDA_RUNTIME_API is not set");
});

Deno.test("run() lets a handler open a scope of its own", async () => {
  await using stub = new StubApi([invocation(1)]);
  await drive(stub, () => withRequestId("inner", () => Promise.resolve("done")));
  assertEquals(onlyPost(stub).body, '"done"');
});
