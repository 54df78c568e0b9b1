import { assertEquals, assertStringIncludes } from "@std/assert";
import type { FnContext } from "../function/mod.ts";
import { currentRequestId } from "../logger/request_id.ts";
import { loggerState } from "../logger/state.ts";
import { drive, onlyFailure, onlyPost } from "./testdata/drive.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

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
    "Lambda-Runtime-Cognito-Identity": '{"cognitoIdentityId":"c","cognitoIdentityPoolId":"p"}',
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
    identity: { cognitoIdentityId: "c", cognitoIdentityPoolId: "p" },
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

Deno.test("run() sets the logger's request id, and work left behind never gets another's id", async () => {
  await using stub = new StubApi(
    [1, 2, 3].map((id) => invocation(id, { "Lambda-Runtime-Aws-Request-Id": `id-${id}` })),
  );
  const state = loggerState();
  delete state.store; // as in a fresh process
  delete state.firstId;
  const now = () => currentRequestId(state);
  const seen: string[] = [];
  const left: Promise<unknown>[] = [];
  const turns = [1, 2, 3].map(() => Promise.withResolvers<void>());
  let turn = 0;
  await drive(stub, async () => {
    const own = turn++;
    left.push(turns[own]!.promise.then(() => [own + 1, now()]));
    turns[own - 1]?.resolve(); // what the invocation before left behind goes on now
    await left[own - 1];
    seen.push(now());
  });
  turns[2]!.resolve();
  assertEquals([...seen, now()], ["id-1", "id-2", "id-3", ""]);
  assertEquals(await Promise.all(left), [[1, ""], [2, "id-2"], [3, "id-3"]]);
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

for (const size of [100, 10_000, 11_000, 40_000, 6_291_556, 6_291_557]) {
  Deno.test(`run() carries ${size} bytes in and out`, async () => {
    const text = "x".repeat(size - 2);
    await using stub = new StubApi([invocation(JSON.stringify(text))]);
    await drive(stub, (event) => event);
    assertEquals(onlyPost(stub).size, size);
    assertEquals(onlyPost(stub).body === `"${text}"`, true);
  });
}
