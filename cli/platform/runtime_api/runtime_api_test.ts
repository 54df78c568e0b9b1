import { assertEquals, assertMatch } from "@std/assert";
import { running, setUp, text } from "../../testdata/runtime_api.ts";
import { MAX_RESPONSE } from "./answer.ts";

Deno.test("next waits for an invocation, and hands it over with its headers", async () => {
  const { api, calls, invoke, next } = await setUp();
  await using _ = api;
  const polling = next();
  while (calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(api.state, "Ready");
  invoke("id-1", { clientContext: '{"k":\n"é"}', tenantId: "t", traceId: "Root=1-2-3" });
  const response = await polling;
  assertEquals(response.status, 200);
  assertEquals(await response.text(), '{"a":1}');
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => name.startsWith("lambda-")),
  );
  assertEquals(headers, {
    "lambda-runtime-aws-request-id": "id-1",
    "lambda-runtime-aws-tenant-id": "t",
    "lambda-runtime-client-context": '{"k": "\\u00e9"}',
    "lambda-runtime-deadline-ms": "1700000000000",
    "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:123456789012:function:one",
    "lambda-runtime-trace-id": "Root=1-2-3",
  });
  assertEquals(response.headers.get("content-type"), "application/json");
});

Deno.test("next has a trace of its own, and no header for what is absent", async () => {
  const { api, invoke, next } = await setUp();
  await using _ = api;
  invoke("id");
  const { headers, body } = await next();
  await body?.cancel();
  assertMatch(
    headers.get("lambda-runtime-trace-id")!,
    /^Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0$/,
  );
  assertEquals(headers.has("lambda-runtime-client-context"), false);
  assertEquals(headers.has("lambda-runtime-aws-tenant-id"), false);
});

Deno.test("next asked for again gives the same invocation", async () => {
  const { api, next, calls } = await running("again");
  await using _ = api;
  const response = await next();
  assertEquals(response.headers.get("lambda-runtime-aws-request-id"), "again");
  assertEquals(await response.text(), '{"a":1}');
  assertEquals(calls, ["next"]);
});

Deno.test("a response is accepted with 202, and then next waits again", async () => {
  const { api, post, answers, calls, next, invoke } = await running();
  await using _ = api;
  const response = await post("invocation/id/response", "[1]", { "content-type": "a/b" });
  assertEquals([response.status, await response.text()], [202, '{"status":"OK"}\n']);
  const [answer] = answers;
  assertEquals(answer?.kind === "response" && [text(answer.body), answer.contentType], [
    "[1]",
    "a/b",
  ]);
  invoke("id-2");
  assertEquals(await (await next()).text(), '{"a":1}');
  assertEquals(calls, ["next", "response", "next"]);
});

for (
  const [header, recorded] of [
    ["Function.MyError", "Function.MyError"],
    ["Runtime.ExitError", "Runtime.ExitError"],
    ["Function.my-error", "Function.Unknown"],
    ["TypeError", "Runtime.Unknown"],
    [undefined, "Runtime.Unknown"],
  ] as const
) {
  Deno.test(`an error of the type ${header} is recorded as ${recorded}`, async () => {
    const { api, post, answers } = await running();
    await using _ = api;
    const { status, body } = await post(
      "invocation/id/error",
      '{"errorType":"E"}',
      header === undefined ? {} : { "lambda-runtime-function-error-type": header },
    );
    await body?.cancel();
    const [answer] = answers;
    assertEquals(status, 202);
    assertEquals(answer?.kind === "error" && [answer.errorType, text(answer.body)], [
      recorded,
      '{"errorType":"E"}',
    ]);
  });
}

Deno.test("an error without a body is made of its type", async () => {
  const { api, post, answers } = await running();
  await using _ = api;
  await (await post("invocation/id/error", "", {
    "lambda-runtime-function-error-type": "Function.Failed",
  })).text();
  assertEquals(text(answers[0]!.body), '{"errorType":"Function.Failed","errorMessage":""}');
});

for (const kind of ["response", "error"]) {
  Deno.test(`a post of ${kind} for another invocation is refused with 400 InvalidRequestID`, async () => {
    const { api, post, answers } = await running();
    await using _ = api;
    const response = await post(`invocation/other/${kind}`);
    assertEquals(response.status, 400);
    assertEquals(await response.json(), {
      errorMessage: "Invalid request ID",
      errorType: "InvalidRequestID",
    });
    assertEquals(answers, []);
    assertEquals((await post("invocation/id/response")).status, 202, "the right one still counts");
  });

  Deno.test(`a second post, of ${kind}, is refused with 403 InvalidStateTransition`, async () => {
    const { api, post } = await running();
    await using _ = api;
    await (await post("invocation/id/response")).text();
    const response = await post(`invocation/id/${kind}`);
    assertEquals(response.status, 403);
    const { errorType, errorMessage } = await response.json();
    assertEquals(errorType, "InvalidStateTransition");
    assertMatch(errorMessage, /^State transition from RuntimeResponseSentState to Invocation/);
  });
}

Deno.test("a result of 6,291,556 bytes is taken, and one byte more answered with 413", async () => {
  for (const [size, status, kind] of [[0, 202, "response"], [1, 413, "too large"]] as const) {
    const { api, post, answers } = await running();
    await using _ = api;
    const response = await post("invocation/id/response", new Uint8Array(MAX_RESPONSE + size));
    assertEquals(MAX_RESPONSE, 6_291_556);
    assertEquals(response.status, status);
    const body = await response.json();
    assertEquals(answers[0]!.kind, kind);
    if (status !== 413) continue;
    assertEquals(body, {
      errorMessage: "Exceeded maximum allowed payload size (6291556 bytes).",
      errorType: "RequestEntityTooLarge",
    });
    assertEquals(JSON.parse(text(answers[0]!.body)), {
      errorType: "Function.ResponseSizeTooLarge",
      errorMessage:
        "Response payload size (6291557 bytes) exceeded maximum allowed payload size (6291556 bytes).",
    });
    assertEquals((await post("invocation/id/error")).status, 403, "the caller is answered already");
  }
});

Deno.test("init/error is taken once, before the first next", async () => {
  const { api, post, calls, answers, next } = await setUp();
  await using _ = api;
  const first = await post("init/error", '{"errorType":"E"}', {
    "lambda-runtime-function-error-type": "Runtime.NoHandler",
  });
  assertEquals([first.status, await first.text()], [202, '{"status":"OK"}\n']);
  assertEquals(answers[0]?.kind === "error" && answers[0].errorType, "Runtime.NoHandler");
  for (const response of [await post("init/error"), await next()]) {
    assertEquals(response.status, 403);
    assertEquals((await response.json()).errorType, "InvalidStateTransition");
  }
  assertEquals(calls, ["init error"]);
});

Deno.test("init/error after the first next is refused", async () => {
  const { api, post } = await running();
  await using _ = api;
  const response = await post("init/error");
  assertEquals(response.status, 403);
  assertEquals(
    (await response.json()).errorMessage,
    "State transition from Running to InitError failed for runtime. Error: State transition is not allowed",
  );
});

Deno.test("what the Runtime API does not have is answered with 404", async () => {
  const { api } = await setUp();
  await using _ = api;
  for (
    const [method, path] of [
      ["GET", "/"],
      ["GET", "/2018-06-01/runtime/init/error"],
      ["POST", "/2018-06-01/runtime/invocation/next"],
      ["POST", "/2018-06-01/runtime/invocation/%/response/x"],
      ["POST", "/2020-01-01/extension/register"],
    ]
  ) {
    const response = await fetch(`http://${api.address}${path}`, { method: method! });
    await response.body?.cancel();
    assertEquals(response.status, 404, `${method} ${path}`);
  }
});

Deno.test("a runtime that went away while it waited is not handed an invocation", async () => {
  const { api, calls, invoke, next } = await setUp();
  await using _ = api;
  const aborting = new AbortController();
  const polling = fetch(`http://${api.address}/2018-06-01/runtime/invocation/next`, {
    signal: aborting.signal,
  }).catch(() => {});
  while (calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  aborting.abort();
  await polling;
  await new Promise((resolve) => setTimeout(resolve, 20));
  invoke("id");
  const response = await next();
  assertEquals(response.headers.get("lambda-runtime-aws-request-id"), "id");
  await response.body?.cancel();
});
