import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startTestPlatform, type TestRequest } from "../../testdata/platform.ts";
import { MAX_ASYNC_EVENT, MAX_SYNC_EVENT } from "../limits.ts";

const PATH = "/2015-03-31/functions/plain/invocations";
const post = (request: Partial<TestRequest>): TestRequest => ({
  method: "POST",
  path: PATH,
  ...request,
});
const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("Invoke answers with the result of the function", async () => {
  await using test = await startTestPlatform(({ event }) => JSON.stringify({ got: event }));
  const response = await test.send(post({ body: '{"a":"ü"}' }));
  assertEquals(response.status, 200);
  assertEquals(response.text, '{"got":{"a":"ü"}}');
  assertEquals(response.header("X-Amz-Executed-Version"), "$LATEST");
  assertEquals(response.header("X-Amz-Function-Error"), undefined);
  assertEquals(response.header("X-Amz-Log-Result"), undefined);
  assertMatch(response.header("x-amzn-RequestId")!, /^[0-9a-f-]{36}$/);
});

Deno.test("Invoke answers with the error of a function, the header of a failure and the end of the log", async () => {
  const payload = '{"errorType":"Error","errorMessage":"no"}';
  await using test = await startTestPlatform(() => ({
    payload: encode(payload),
    failure: "error",
    logTail: "START ü\nEND\n",
  }));
  const response = await test.send(post({ headers: [["X-Amz-Log-Type", "Tail"]] }));
  assertEquals([response.status, response.text], [200, payload]);
  assertEquals(response.header("X-Amz-Function-Error"), "Unhandled");
  const log = Uint8Array.from(atob(response.header("X-Amz-Log-Result")!), (c) => c.charCodeAt(0));
  assertEquals(new TextDecoder().decode(log), "START ü\nEND\n");
  assertEquals(test.host.calls[0]!.event, {}, "an empty payload is an empty object");
});

Deno.test("Invoke passes on the client context, the tenant and the trace", async () => {
  await using test = await startTestPlatform();
  const headers = [
    ["X-Amz-Client-Context", btoa('{"custom":{"a":"1"}}')],
    ["X-Amz-Tenant-Id", "blue"],
    ["X-Amzn-Trace-Id", "Root=1-2-3"],
  ] as const;
  await test.send(post({ headers }));
  const expected = { tenantId: "blue", traceId: "Root=1-2-3" };
  assertEquals(test.host.calls[0]!.options, {
    clientContext: '{"custom":{"a":"1"}}',
    ...expected,
  });
  await test.send(post({ headers: [...headers, ["X-Amz-Invocation-Type", "Event"]] }));
  await test.platform.settled();
  const { requestId: _, ...options } = test.host.calls[1]!.options;
  assertEquals(options, expected, "no client context without a caller who waits");
});

Deno.test("Invoke with DryRun answers 204 and runs nothing", async () => {
  await using test = await startTestPlatform();
  const response = await test.send(post({ headers: [["X-Amz-Invocation-Type", "DryRun"]] }));
  assertEquals([response.status, response.text], [204, ""]);
  assertEquals(test.host.calls, []);
});

Deno.test("Invoke finds a function by its name and by parts of its ARN", async (t) => {
  for (
    const name of [
      "plain",
      "plain:$LATEST",
      "function:plain",
      "000000000000:function:plain",
      "arn:aws:lambda:us-east-1:000000000000:function:plain",
      "arn:aws-us-gov:lambda:us-gov-west-1:000000000000:function:plain:$LATEST",
    ]
  ) {
    await t.step(`${name}`, async () => {
      await using test = await startTestPlatform();
      for (const path of [name, encodeURIComponent(name)]) {
        const response = await test.send(
          post({ path: `/2015-03-31/functions/${path}/invocations` }),
        );
        assertEquals(response.status, 200);
      }
      assertEquals(test.host.calls.map((call) => call.name), ["plain", "plain"]);
    });
  }
});

const NOT_FOUND = [404, "ResourceNotFoundException"] as const;
const ARN = "arn:aws:lambda:us-east-1:000000000000:function";

Deno.test("Invoke refuses a wrong request with the error of AWS Lambda", async (t) => {
  for (
    const [rule, request, status, type, message] of [
      [
        "an unknown function",
        { path: PATH.replace("plain", "nope") },
        ...NOT_FOUND,
        `Function not found: ${ARN}:nope`,
      ],
      [
        "a property of every object",
        { path: PATH.replace("plain", "constructor") },
        ...NOT_FOUND,
        `Function not found: ${ARN}:constructor`,
      ],
      [
        "a version",
        { path: `${PATH}?Qualifier=7` },
        ...NOT_FOUND,
        `Function not found: ${ARN}:plain:7`,
      ],
      [
        "an alias",
        { path: PATH.replace("plain", "plain:live") },
        ...NOT_FOUND,
        `Function not found: ${ARN}:plain:live`,
      ],
      [
        "two qualifiers",
        { path: `${PATH.replace("plain", "plain:a")}?Qualifier=b` },
        400,
        "InvalidParameterValueException",
        "The derived qualifier",
      ],
      [
        "a bad name",
        { path: PATH.replace("plain", "a%20b") },
        400,
        "ValidationException",
        "Value 'a b' at 'functionName'",
      ],
      [
        "a name that is not UTF-8",
        { path: PATH.replace("plain", "%ff") },
        400,
        "ValidationException",
        "Value '%ff' at 'functionName'",
      ],
      [
        "a bad type",
        { headers: [["X-Amz-Invocation-Type", "Later"]] },
        400,
        "ValidationException",
        "Value 'Later' at 'invocationType' failed to satisfy constraint: Member must satisfy enum " +
        "value set: [RequestResponse, Event, DryRun]",
      ],
      [
        "a bad log type",
        { headers: [["X-Amz-Log-Type", "All"]] },
        400,
        "ValidationException",
        "Value 'All' at 'logType'",
      ],
      [
        "a body that is not JSON",
        { body: "{a}" },
        400,
        "InvalidRequestContentException",
        "Could not parse request body into json: ",
      ],
      [
        "a body that is not UTF-8",
        { body: Uint8Array.of(0x22, 0xff, 0x22) },
        400,
        "InvalidRequestContentException",
        "Could not parse request body into json: ",
      ],
      [
        "a client context that is not JSON",
        { headers: [["X-Amz-Client-Context", btoa("x")]] },
        400,
        "InvalidRequestContentException",
        "Client context must be",
      ],
      [
        "a client context that is not an object",
        { headers: [["X-Amz-Client-Context", btoa("[]")]] },
        400,
        "InvalidRequestContentException",
        "Client context must be",
      ],
      [
        "a large event",
        { body: `"${"x".repeat(MAX_SYNC_EVENT)}"` },
        413,
        "RequestTooLargeException",
        "Request must be smaller than 6291456 bytes",
      ],
      [
        "a large event nobody waits for",
        {
          headers: [["X-Amz-Invocation-Type", "Event"]],
          body: `"${"x".repeat(MAX_ASYNC_EVENT)}"`,
        },
        413,
        "RequestTooLargeException",
        "Request must be smaller than 1048576 bytes",
      ],
      [
        "another operation",
        { method: "GET" },
        404,
        "UnknownOperationException",
        `The operation GET ${PATH}`,
      ],
      [
        "another API",
        { path: "/2015-03-31/functions/" },
        404,
        "UnknownOperationException",
        "The operation POST /2015-03-31/functions/",
      ],
    ] as const
  ) {
    await t.step(`${rule}`, async () => {
      await using test = await startTestPlatform();
      const response = await test.send(post(request as TestRequest));
      assertEquals(response.status, status);
      assertEquals(response.header("x-amzn-ErrorType"), type);
      const { Type, message: lower, Message } = JSON.parse(response.text);
      assertEquals(Type, "User");
      assertStringIncludes(lower ?? Message, message);
      assertEquals(test.host.calls, []);
    });
  }
});

Deno.test("Invoke takes events of the largest size", async () => {
  await using test = await startTestPlatform();
  const text = (size: number) => `"${"x".repeat(size - 2)}"`;
  assertEquals((await test.send(post({ body: text(MAX_SYNC_EVENT) }))).status, 200);
  const headers = [["X-Amz-Invocation-Type", "Event"]] as const;
  assertEquals((await test.send(post({ headers, body: text(MAX_ASYNC_EVENT) }))).status, 202);
});

Deno.test("Invoke answers 500 when the host itself fails", async () => {
  await using test = await startTestPlatform(() => Promise.reject(new Error("no sandbox")));
  const response = await test.send(post({}));
  assertEquals([response.status, response.header("x-amzn-ErrorType")], [500, "ServiceException"]);
});
