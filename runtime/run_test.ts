import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { FnContext } from "../function/mod.ts";
import { logger } from "../logger/mod.ts";
import { loggerState } from "../logger/state.ts";
import { run, RuntimeApiError } from "./mod.ts";
import { drive, failureOf, reportOf, withEnv } from "./testdata/drive.ts";
import { invocation, type StubAnswer } from "./testdata/stub_api.ts";

const echo = (event: unknown) => event;

/** Makes an invocation with a request id, which is also its event. */
function named(id: string, more: Record<string, string> = {}): StubAnswer {
  return invocation(id, { "Lambda-Runtime-Aws-Request-Id": id, ...more });
}

Deno.test({
  name: "run() polls, answers each invocation under its id, keeps one connection, and closes it",
  sanitizeOps: true,
  sanitizeResources: true,
  async fn() {
    const ids = ["a-1", "b-2", "c-3"];
    const { requests, posts, connections, log, error } = await drive(
      ids.map((id) => named(id)),
      (event) => Promise.resolve({ seen: event }),
    );
    const reports = posts.map((post) => [reportOf(post), post.body]);
    assertEquals(reports, ids.map((id) => [`${id}/response`, `{"seen":"${id}"}`]));
    assertEquals(requests[0]!.path, "/2018-06-01/runtime/invocation/next");
    assertEquals(requests[0]!.headers.host!.startsWith("127.0.0.1:"), true);
    assertEquals([connections, log], [1, []]);
    const problem = "Cannot fetch the next invocation: the Runtime API answered 410 no more";
    assertEquals(error.message, problem);
  },
});

Deno.test("run() makes the context from the headers and the environment, or from nothing", async () => {
  const headers = {
    "LAMBDA-RUNTIME-AWS-REQUEST-ID": "r-1",
    "Lambda-Runtime-Deadline-Ms": String(Date.now() + 5_000),
    "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:eu-west-1:1:function:f",
    "Lambda-Runtime-Client-Context": '{"custom":{"k":"é"}}',
    "Lambda-Runtime-Cognito-Identity": '{"cognitoIdentityId":"c","cognitoIdentityPoolId":"p"}',
    "Lambda-Runtime-Aws-Tenant-Id": "tenant",
  };
  const env = {
    AWS_LAMBDA_FUNCTION_NAME: "n",
    AWS_LAMBDA_FUNCTION_VERSION: "v",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "128",
    AWS_LAMBDA_LOG_GROUP_NAME: "g",
    AWS_LAMBDA_LOG_STREAM_NAME: "s",
  };
  const past = { "Lambda-Runtime-Deadline-Ms": "1", "Lambda-Runtime-Client-Context": "null" };
  const seen: FnContext[] = [];
  const keep = (_event: unknown, context: FnContext) => void seen.push(context);
  await drive([invocation(1, headers)], keep, { env });
  await drive([invocation(2), invocation(3, past)], keep);
  const [first, bare, late] = seen as [FnContext, FnContext, FnContext];
  const { getRemainingTimeInMillis, ...whole } = first;
  assertEquals(whole, {
    awsRequestId: "r-1",
    functionName: "n",
    functionVersion: "v",
    memoryLimitInMB: "128",
    logGroupName: "g",
    logStreamName: "s",
    invokedFunctionArn: "arn:aws:lambda:eu-west-1:1:function:f",
    clientContext: { custom: { k: "é" } },
    identity: { cognitoIdentityId: "c", cognitoIdentityPoolId: "p" },
    tenantId: "tenant",
  });
  const left = getRemainingTimeInMillis();
  assertEquals(left >= 0 && left <= 5_000, true);
  assertEquals([bare.invokedFunctionArn, bare.functionName], ["", ""]);
  const { clientContext, identity, tenantId } = bare;
  assertEquals([clientContext, identity, tenantId], [undefined, undefined, undefined]);
  assertEquals([bare.getRemainingTimeInMillis(), late.getRemainingTimeInMillis()], [Infinity, 0]);
  assertEquals(late.clientContext, undefined);
});

Deno.test("run() fails an invocation with a malformed event or header, without the handler", async () => {
  const clientContext = (text: string) => invocation(1, { "Lambda-Runtime-Client-Context": text });
  const event = (body: string | Uint8Array) => invocation(1, {}, { body });
  const cases = [
    ["invalid JSON", event("{")],
    ["an empty event", event("")],
    ["a byte order mark", event("\ufeff1")],
    ["invalid UTF-8", event(new Uint8Array([34, 255, 34]))],
    ["an unfinished client context", clientContext("{")],
  ] as const;
  for (const [name, answer] of cases) {
    let isCalled = false;
    const { posts } = await drive([answer], () => void (isCalled = true));
    assertEquals(failureOf(posts[0]!).field, "Runtime.UnmarshalError", name);
    assertEquals(isCalled, false, name);
  }
});

Deno.test("run() sets the trace variable for each invocation, and deletes it if the header is absent", async () => {
  const trace = "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1";
  const seen: unknown[] = [];
  await drive([invocation(1, { "Lambda-Runtime-Trace-Id": trace }), invocation(2)], () => {
    seen.push(Deno.env.get("_X_AMZN_TRACE_ID"));
  });
  assertEquals(seen, [trace, undefined]);
});

Deno.test("run() answers with the JSON of the result", async () => {
  const cases = [
    [undefined, "null"],
    [null, "null"],
    ["é\ud800", '"é\\ud800"'],
    [{ a: [1, undefined], b: undefined }, '{"a":[1,null]}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ then: (done: (value: unknown) => void) => done(5) }, "5"],
  ] as const;
  for (const [result, body] of cases) {
    const { posts: [post, ...others] } = await drive([invocation(1)], () => result);
    assertEquals([post!.body, others], [body, []]);
    assertEquals(post!.headers["content-type"], "application/json");
  }
});

Deno.test("run() fails an invocation whose result JSON cannot carry, and goes on", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const broken = { toJSON: () => new Date(NaN).toISOString() };
  const results = [cycle, { n: 1n }, () => {}, Symbol("x"), broken, "fine"];
  const { posts } = await drive(results.map((_, i) => invocation(i)), (i: number) => results[i]);
  assertEquals(posts.pop()!.body, '"fine"');
  assertEquals(posts.length, 5);
  for (const post of posts) {
    const { field, message } = failureOf(post);
    assertEquals(field, "Runtime.MarshalError");
    assertStringIncludes(message, "Cannot send the result of the handler: ");
  }
});

Deno.test("run() carries events and results of all sizes", async () => {
  const sizes = [100, 16_000, 16_384, 40_000, 65_536, 6_291_556, 6_291_557];
  const texts = sizes.map((size) => "x".repeat(size - 2));
  const { posts } = await drive(texts.map((text) => invocation(text)), echo);
  assertEquals(posts.map(({ body }) => body.length), sizes);
  assertEquals(posts.every(({ body }, i) => body === `"${texts[i]}"`), true);
});

class OrderError extends Error {
  override name = "OrderError";
}

Deno.test("run() reports and logs a handler that throws or rejects, and goes on", async () => {
  const unnamed = Object.assign(new Error("x"), { name: "a\r\nb: c" });
  const cases = [
    [new OrderError("é\r\nInjected: 1"), "OrderError", "Function.OrderError", "é\r\nInjected: 1"],
    ["text", "string", "Function.Unknown", "text"],
    [undefined, "undefined", "Function.Unknown", "undefined"],
    [unnamed, "a\r\nb: c", "Function.Unknown", "x"],
  ] as const;
  for (const [thrown, type, field, message] of cases) {
    const fail = (event: unknown) => {
      if (event === "throw") throw thrown;
      return event === "reject" ? Promise.reject(thrown) : "fine";
    };
    const events = ["throw", "reject", "go on"].map((event) => invocation(event));
    const { posts, log } = await drive(events, fail);
    assertEquals(posts.pop()!.body, '"fine"');
    assertEquals(posts.map(failureOf), [{ type, field, message }, { type, field, message }]);
    assertEquals(posts.map(({ headers }) => headers.injected), [undefined, undefined]);
    assertEquals(log.map((line) => line.includes("The invocation failed")), [true, true]);
  }
});

Deno.test("run() logs a response that the platform refuses, and goes on without another report", async () => {
  const refusals = [[413, "RequestEntityTooLarge"], [403, "InvalidStateTransition"]] as const;
  for (const [status, type] of refusals) {
    const { posts, log } = await drive([named("a"), named("b")], echo, {
      onRequest: ({ path }) => path.endsWith("a/response") ? { status, body: type } : undefined,
    });
    assertEquals(posts.map(reportOf), ["a/response", "b/response"]);
    assertEquals(log.length, 1);
    const problem = `Cannot answer the invocation: the Runtime API answered ${status} ${type}`;
    assertStringIncludes(log[0]!, problem);
  }
});

Deno.test("run() ends if the platform answers a report with 500", async () => {
  const stream = () => ReadableStream.from(["a"]);
  const brokenStream = () => new ReadableStream({ pull: () => Promise.reject("x") });
  const cases = [
    ["response", echo],
    ["error", () => Promise.reject("x")],
    ["response", stream],
    ["error", brokenStream],
  ] as const;
  for (const [path, handler] of cases) {
    const { error, requests } = await drive([invocation(1), invocation(2)], handler, {
      onRequest: (request) => request.path.endsWith(path) ? { status: 500 } : undefined,
    });
    assertEquals([error.status, requests.length], [500, 2]);
  }
});

Deno.test("run() ends without another request if next is not answered with 200", async () => {
  for (const status of [204, 400, 403, 500]) {
    const { error, requests } = await drive([], echo, {
      onRequest: () => ({ status, body: status === 204 ? "" : "why" }),
    });
    assertEquals([error.status, requests.length], [status, 1]);
    const problem = "Cannot fetch the next invocation: the Runtime API answered";
    assertStringIncludes(error.message, problem);
  }
});

Deno.test("run() ends if an invocation has no request id, or is lost on the way", async () => {
  const id = "Lambda-Runtime-Aws-Request-Id: 1";
  const cases = [
    ["HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", '-Request-Id" is absent'],
    [`HTTP/1.1 200 OK\r\nContent-Length: 9\r\n${id}\r\n\r\n{`, "ended before the response did"],
  ] as const;
  for (const [raw, message] of cases) {
    const onRequest = () => ({ raw, close: true });
    const { error, requests } = await drive([], echo, { onRequest });
    assertStringIncludes(error.message, message);
    assertEquals(requests.length, 1);
  }
});

Deno.test("run() names the address if nobody listens there", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const api = `127.0.0.1:${listener.addr.port}`;
  listener.close();
  const message = `Cannot reach the Runtime API at ${api}: `;
  const error = await assertRejects(() => run(echo, { api }), RuntimeApiError, message);
  assertEquals(Object.keys(error), ["name"], "the log shows no status");
});

Deno.test("run() sends a lost response once more, logs a second loss, and goes on", async () => {
  for (const drops of [1, 2]) {
    let dropped = 0;
    const { posts, log } = await drive([named("a"), named("b")], echo, {
      onRequest({ path }) {
        const isDropped = path.endsWith("/response") && dropped++ < drops;
        return isDropped ? { raw: "", close: true } : undefined;
      },
    });
    assertEquals(posts.map(reportOf), ["a/response", "a/response", "b/response"]);
    const losses = log.map((line) => line.includes("closed the connection before"));
    assertEquals(losses, drops === 2 ? [true] : []);
  }
});

Deno.test("run() refuses an invalid handler, address or concurrency", async () => {
  const api = "127.0.0.1:1";
  await assertRejects(() => run("x" as never, { api }), Error, "expected a function, got string");
  // deno-lint-ignore no-explicit-any -- a handler of the form that older runtimes took
  const old: any = (_event: unknown, _context: unknown, callback: () => void) => callback();
  await assertRejects(() => run(old, { api }), Error, "takes a callback");
  await assertRejects(() => run(echo, { api: "nowhere" }), TypeError, '"nowhere"');
  const problem = "AWS_LAMBDA_RUNTIME_API is not set";
  await assertRejects(() => run(echo), Error, problem);
  const empty = { AWS_LAMBDA_RUNTIME_API: "" };
  await withEnv(empty, () => assertRejects(() => run(echo), Error, problem));
  for (const text of ["", "0", "-1", "x", "1.5", "10000"]) {
    await withEnv({ AWS_LAMBDA_MAX_CONCURRENCY: text }, async () => {
      const quoted = `AWS_LAMBDA_MAX_CONCURRENCY ${JSON.stringify(text)}`;
      await assertRejects(() => run(echo, { api }), TypeError, quoted);
    });
  }
});

Deno.test("run() fetches as many invocations at once as the environment says, each with its own context", async () => {
  const env = { AWS_LAMBDA_MAX_CONCURRENCY: "3", _X_AMZN_TRACE_ID: "left alone" };
  const ids = ["a", "b", "c", "d"];
  const events = ids.map((id) => named(id, { "Lambda-Runtime-Trace-Id": id }));
  const all = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const handler = async (event: string, context: FnContext) => {
    most = Math.max(most, ++running);
    if (running === 3) all.resolve();
    await all.promise;
    running--;
    logger.info(event);
    return [event, context.awsRequestId, Deno.env.get("_X_AMZN_TRACE_ID")];
  };
  const { posts, log } = await drive(events, handler, {
    env,
    onRequest({ path }, stub) {
      if (stub.posts.length === 4) answered.resolve();
      const isLast = path.endsWith("/next") && events.length === 0;
      return isLast ? { until: answered.promise, status: 410 } : undefined;
    },
  });
  assertEquals(most, 3);
  assertEquals(posts.map(reportOf).toSorted(), ids.map((id) => `${id}/response`));
  for (const post of posts) {
    const id = reportOf(post).split("/")[0];
    assertEquals(JSON.parse(post.body), [id, id, "left alone"]);
  }
  const logged = log.map((line) => line.split("\t")).map(([, id, , text]) => [id, text]);
  assertEquals(logged.toSorted(), ids.map((id) => [id, id]));
});

Deno.test("run() fetches and runs nothing more after one of several loops has failed", async () => {
  const over = Promise.withResolvers<void>();
  const seen: number[] = [];
  let fetched = 0;
  const { error } = await drive([], (event: number) => void seen.push(event), {
    env: { AWS_LAMBDA_MAX_CONCURRENCY: "3" },
    onRequest({ path }) {
      if (!path.endsWith("/next")) return undefined;
      fetched++;
      if (fetched === 4) {
        setTimeout(over.resolve, 1_000); // after the loop has ended
        return { delay: 50, status: 500 };
      }
      return { ...invocation(fetched), until: fetched > 4 ? over.promise : undefined };
    },
  });
  assertEquals([error.status, seen.toSorted(), fetched], [500, [1, 2, 3], 6]);
});

Deno.test("run() fails the other invocations under way if the platform answers one with 500", async () => {
  for (const refused of ["next", "response"]) {
    const isUnderWay = Promise.withResolvers<void>();
    const events = [named("slow"), named("fast")];
    const handler = (event: unknown) => {
      if (event === "fast") return 1;
      isUnderWay.resolve();
      return new Promise(() => {});
    };
    const { error, posts, requests } = await drive(events, handler, {
      env: { AWS_LAMBDA_MAX_CONCURRENCY: "2" },
      onRequest({ path }) {
        const isRefused = path.endsWith(refused) && (refused !== "next" || events.length === 0);
        return isRefused ? { status: 500, until: isUnderWay.promise } : undefined;
      },
    });
    assertEquals(error.status, 500);
    assertEquals(reportOf(posts.at(-1)!), "slow/error");
    assertEquals(requests.at(-1), posts.at(-1), "nothing is fetched afterwards");
    assertStringIncludes(failureOf(posts.at(-1)!).message, "answered 500");
  }
});

Deno.test("run() logs late work of an invocation with the id of that invocation, or with none", async () => {
  const left: PromiseWithResolvers<void>[] = [];
  const done: Promise<void>[] = [];
  delete loggerState().store; // as in a new process
  delete loggerState().firstId;
  const { log } = await drive(["a", "b", "c"].map((id) => named(id)), async (id) => {
    for (const { resolve } of left) resolve(); // now the earlier invocations go on
    await Promise.all(done);
    logger.info(`work of ${id}`);
    const release = Promise.withResolvers<void>();
    left.push(release);
    done.push(release.promise.then(() => logger.info(`left by ${id}`)));
  });
  // The first invocation runs before AsyncLocalStorage is loaded, so its late work has no id.
  assertEquals(log.map((line) => line.split("\t")).map(([, id, , text]) => `${id}: ${text}`), [
    "a: work of a",
    ": left by a",
    "b: work of b",
    "b: left by b",
    "c: work of c",
  ]);
});
