import {
  Lambda,
  ResourceNotFoundException,
  TooManyRequestsException,
} from "@aws-sdk/client-lambda";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Log } from "../lambda/log.ts";
import { checkAnswers } from "../testdata/contract.ts";
import {
  MANIFEST,
  startTestPlatform,
  type TestRequest,
  type TestResponse,
} from "../testdata/platform.ts";
import { MAX_ASYNC_EVENT, MAX_SYNC_EVENT } from "../rules/limits.ts";
import { within } from "../../testdata/waiting.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const PATH = "/2015-03-31/functions/plain/invocations";
const EVENT = ["X-Amz-Invocation-Type", "Event"] as const;

const post = (request: Partial<TestRequest>): TestRequest => ({
  method: "POST",
  path: PATH,
  ...request,
});

Deno.test("Invoke passes on the client context, the tenant and the trace", async () => {
  await using test = await startTestPlatform();
  const root = "Root=1-5759e988-bd862e3fe1be46a994272793";
  const clientContext = '{"custom":{"a":"1"}}'.padEnd(2_687); // 3,583 characters of base64, the most
  const headers = [
    ["X-Amz-Client-Context", btoa(clientContext).replace("=", "")],
    ["X-Amz-Tenant-Id", "blue"],
    ["X-Amzn-Trace-Id", root],
  ] as const;
  // The platform counts the invocations of the function "plain" that come from one event.
  const expected = {
    tenantId: "blue",
    traceId: `${root};Parent=SPAN;Sampled=0;Lineage=a116c9ed:1`,
  };
  const passedOn = (index: number) => {
    const { clientContext, tenantId, traceId = "" } = test.host.calls[index]!.options;
    const shown = traceId.replace(/Parent=[\da-f]{16}/, "Parent=SPAN");
    return { ...clientContext && { clientContext }, tenantId, traceId: shown };
  };
  await test.send(post({ headers }));
  assertEquals(passedOn(0), { clientContext, ...expected });
  await test.send(post({ headers: [...headers, EVENT] }));
  await test.platform.settled();
  assertEquals(passedOn(1), expected, "no client context without a caller who waits");
});

Deno.test("Invoke finds a function by its name and by parts of its ARN", async () => {
  await using test = await startTestPlatform();
  const names = [
    "plain",
    "app-plain", // as in the cloud
    "plain:$LATEST",
    "function:plain",
    "000000000000:function:plain",
    "arn:aws:lambda:us-east-1:000000000000:function:app-plain",
    "arn:aws-us-gov:lambda:us-gov-west-1:000000000000:function:plain:$LATEST",
  ];
  for (const name of names) {
    for (const path of [name, encodeURIComponent(name)]) {
      const request = post({ path: `/2015-03-31/functions/${path}/invocations` });
      const response = await test.send(request);
      assertEquals([response.status, response.text], [200, "{}"], path);
      assertEquals(response.header("X-Amz-Function-Error"), undefined);
      assertEquals(test.host.calls.pop()!.name, "plain");
    }
  }
});

Deno.test("Invoke refuses a wrong request with the error of AWS Lambda", async () => {
  await using test = await startTestPlatform();
  const at = (name: string, query = "") => ({ path: PATH.replace("plain", name) + query });
  const withHeader = (name: string, value: string) => ({ headers: [[name, value]] as const });
  const context = (text: string) => withHeader("X-Amz-Client-Context", btoa(text));
  const large = (size: number) => `"${"x".repeat(size)}"`;
  const noFunction = "Function not found: arn:aws:lambda:us-east-1:000000000000:function";
  const noJson = "Could not parse request body into json: ";
  const enumeration = "failed to satisfy constraint: Member must satisfy enum value set: " +
    "[RequestResponse, Event, DryRun]";
  const cases = [
    ["404 ResourceNotFound", at("nope"), `${noFunction}:nope`],
    ["404 ResourceNotFound", at("constructor"), `${noFunction}:constructor`],
    ["404 ResourceNotFound", at("plain", "?Qualifier=7"), `${noFunction}:plain:7`],
    ["404 ResourceNotFound", at("plain:live"), `${noFunction}:plain:live`],
    ["400 InvalidParameterValue", at("plain:a", "?Qualifier=b"), "The derived qualifier"],
    ["400 Validation", at("a%20b"), "Value 'a b' at 'functionName'"],
    ["400 Validation", at("%ff"), "Value '%ff' at 'functionName'"],
    ["400 Validation", withHeader("X-Amz-Invocation-Type", "Later"), enumeration],
    ["400 Validation", withHeader("X-Amz-Log-Type", "All"), "Value 'All' at 'logType'"],
    ["400 InvalidRequestContent", { body: "{a}" }, noJson],
    ["400 InvalidRequestContent", { body: Uint8Array.of(0x22, 0xff, 0x22) }, noJson],
    ["400 InvalidRequestContent", context("x"), "Client context"],
    ["400 InvalidRequestContent", context("[]"), "Client context"],
    ["400 InvalidRequestContent", context(`{}${" ".repeat(2_686)}`), "of at most 3583 bytes"],
    ["413 RequestTooLarge", { body: large(MAX_SYNC_EVENT) }, "smaller than 6291456 bytes"],
    [
      "413 RequestTooLarge",
      { headers: [EVENT], body: large(MAX_ASYNC_EVENT) },
      "than 1048576 bytes",
    ],
    ["501 NotImplemented", { method: "GET" }, `The operation GET ${PATH}`],
    ["501 NotImplemented", { path: "/2015-03-31/functions/" }, "The operation POST /2015-"],
    ["501 NotImplemented", at("plain", "?Foo=1"), 'The parameter "Foo" of Invoke'],
    ["501 NotImplemented", withHeader("X-Amz-Durable-Name", "a"), '"x-amz-durable-name"'],
  ] as const;
  for (const [error, request, message] of cases) {
    const response = await test.send(post(request));
    const [status, type] = error.split(" ");
    assertEquals(response.status, Number(status), message);
    assertEquals(response.header("x-amzn-ErrorType"), `${type}Exception`);
    const { Type, message: lower, Message } = JSON.parse(response.text);
    assertEquals(Type, "User");
    assertStringIncludes(lower ?? Message, message);
  }
  await test.platform.settled();
  assertEquals(test.host.calls, []);
});

Deno.test("Invoke takes events of the largest size", async () => {
  await using test = await startTestPlatform();
  const text = (size: number) => `"${"x".repeat(size - 2)}"`;
  assertEquals((await test.send(post({ body: text(MAX_SYNC_EVENT) }))).status, 200);
  const headers = [EVENT];
  assertEquals((await test.send(post({ headers, body: text(MAX_ASYNC_EVENT) }))).status, 202);
});

Deno.test("Invoke answers 500 if the host rejects", async () => {
  await using test = await startTestPlatform(() => Promise.reject(new Error("no sandbox")));
  const response = await test.send(post({}));
  assertEquals([response.status, response.header("x-amzn-ErrorType")], [500, "ServiceException"]);
});

Deno.test("Invoke with Event answers 202, and repeats a failed invocation twice with the same request id", async () => {
  await using test = await startTestPlatform(() => ({ failure: "error" }));
  const response = await test.send(post({ headers: [EVENT], body: '{"n":1}' }));
  assertEquals([response.status, response.text], [202, ""]);
  await test.platform.settled();
  const requestId = response.header("x-amzn-RequestId")!;
  const calls = test.host.calls.map(({ event, options }) => [event, options.requestId]);
  assertEquals(calls, Array(3).fill([{ n: 1 }, requestId]));
  assertEquals(test.log.after(0).map(({ text }) => text), [
    `Gave up the event of "plain" after 3 attempts: RequestId ${requestId}`,
  ]);
});

Deno.test("Invoke with Event stops the retries after a success, and survives a host that rejects", async () => {
  const refusals = ["no sandbox", 'Cannot invoke "plain": it has a fault'];
  const answers = [
    ...refusals.map((text) => () => Promise.reject(new Error(text))),
    () => "1",
  ];
  await using test = await startTestPlatform(() => answers.shift()!());
  await test.send(post({ headers: [EVENT] }));
  await test.platform.settled();
  assertEquals(answers, []);
  assertEquals(test.log.after(0).map(({ text }) => text), [
    'Cannot invoke "plain": no sandbox',
    'Cannot invoke "plain": it has a fault',
  ]);
});

Deno.test("stopping the platform stops the retries, and the log names the event", async () => {
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const test = await startTestPlatform(() => {
    resolve();
    return { failure: "error" };
  }, { retryDelays: [3_600_000] });
  const { header } = await test.send(post({ headers: [EVENT] }));
  await failed;
  await test[Symbol.asyncDispose]();
  await test.platform.settled();
  assertEquals([test.host.calls.length, textsOf(test.log)], [1, [dropped(header, 2)]]);
});

Deno.test("stopping the platform does not wait for an invocation", async () => {
  for (const end of ["resolve", "reject"] as const) {
    const promises = Promise.withResolvers<unknown>();
    const test = await startTestPlatform(() => promises.promise as Promise<string>);
    const { header } = await test.send(post({ headers: [EVENT] }));
    await test[Symbol.asyncDispose]();
    promises[end](end === "resolve" ? "{}" : new Error("The host has ended"));
    await test.platform.settled();
    const expected = end === "resolve" ? [] : [dropped(header, 3)];
    assertEquals([test.host.calls.length, textsOf(test.log)], [1, expected], end);
  }
});

const textsOf = (log: Log) => log.after(0).map(({ text }) => text);

const dropped = (header: TestResponse["header"], all: number) =>
  `Dropped the event of "plain" after 1 of ${all} attempts, because the application stops or restarts: ` +
  `RequestId ${header("x-amzn-RequestId")}`;

function createClient(endpoint: string) {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const options = { endpoint, region: "us-east-1", maxAttempts: 1, credentials };
  const client = checkAnswers(new Lambda(options));
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}

Deno.test("Invoke refuses a function without concurrency as AWS Lambda does", async () => {
  const plain = { ...MANIFEST.functions.plain!, reservedConcurrency: 0 };
  const manifest = { ...MANIFEST, functions: { ...MANIFEST.functions, plain } };
  await using test = await startTestPlatform(undefined, { manifest });
  using client = createClient(test.platform.controlUrl);
  const error = await assertRejects(
    () => client.invoke({ FunctionName: "plain" }),
    TooManyRequestsException,
  );
  assertEquals(error.Reason, "ReservedFunctionConcurrentInvocationLimitExceeded");
  assertEquals([error.$metadata.httpStatusCode, test.host.calls], [429, []]);
});

Deno.test("the AWS SDK invokes a function", async () => {
  await using test = await startTestPlatform(({ event, options }) => ({
    payload: encode(JSON.stringify({ event, context: options.clientContext })),
    logTail: "END\n",
  }));
  using client = createClient(test.platform.controlUrl);
  const { StatusCode, FunctionError, LogResult, ExecutedVersion, Payload } = await client.invoke({
    FunctionName: "arn:aws:lambda:us-east-1:000000000000:function:plain",
    Qualifier: "$LATEST",
    LogType: "Tail",
    ClientContext: btoa('{"a":1}'),
    Payload: encode('{"n":1}'),
  });
  assertEquals([StatusCode, FunctionError, ExecutedVersion], [200, undefined, "$LATEST"]);
  assertEquals(atob(LogResult!), "END\n");
  const result = JSON.parse(Payload!.transformToString());
  assertEquals(result, { event: { n: 1 }, context: '{"a":1}' });
});

Deno.test("the AWS SDK recognizes failures, dry runs and unknown functions", async () => {
  await using test = await startTestPlatform(() => ({ failure: "error" }));
  using client = createClient(test.platform.controlUrl);
  const FunctionName = "plain";
  const dryRun = await client.invoke({ FunctionName, InvocationType: "DryRun" });
  assertEquals(dryRun.StatusCode, 204);
  assertEquals(test.host.calls, [], "a dry run runs nothing");
  const failed = await client.invoke({ FunctionName });
  assertEquals(failed.FunctionError, "Unhandled");
  const unknown = () => client.invoke({ FunctionName: "nope" });
  await assertRejects(unknown, ResourceNotFoundException, "Function not found: ");
});

Deno.test("the AWS SDK gets each part of a streamed result at once, and the error of a function", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using test = await startTestPlatform(async ({ options }) => {
    const writer = options.stream!("text/plain").getWriter();
    await writer.write(encode("one"));
    await promise;
    await writer.write(encode("two"));
    await writer.close();
    return { payload: new Uint8Array(), logTail: "END\n" };
  });
  using client = createClient(test.platform.controlUrl);
  const invoke = async () => {
    const input = { FunctionName: "plain", LogType: "Tail" } as const;
    const { EventStream } = await client.invokeWithResponseStream(input);
    const events: unknown[] = [];
    for await (const { PayloadChunk, InvokeComplete } of EventStream!) {
      if (PayloadChunk) events.push(new TextDecoder().decode(PayloadChunk.Payload));
      if (InvokeComplete) events.push(InvokeComplete);
      resolve(); // The first part arrives before the second exists.
    }
    return events;
  };
  const events = await within("the end of the stream", invoke());
  assertEquals(events, ["one", "two", { LogResult: btoa("END\n") }]);
  const payload = encode('{"errorType":"E"}');
  test.host.answer = () => ({ failure: "error", payload });
  const failed = { ErrorCode: "Unhandled", ErrorDetails: '{"errorType":"E"}', LogResult: "" };
  assertEquals(await invoke(), [failed]);
  test.host.answer = () => '"plain"';
  assertEquals(await invoke(), ['"plain"', { LogResult: "" }]);
});
