import {
  InvokeCommand,
  InvokeWithResponseStreamCommand,
  LambdaClient,
  ResourceNotFoundException,
} from "@aws-sdk/client-lambda";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { startTestPlatform } from "../../testdata/platform.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function createClient(endpoint: string): LambdaClient {
  return new LambdaClient({
    endpoint,
    region: "us-east-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
}

Deno.test("the AWS SDK invokes a function unchanged", async () => {
  await using test = await startTestPlatform(({ event, options }) => ({
    payload: encode(JSON.stringify({ event, context: options.clientContext })),
    logTail: "END\n",
  }));
  const client = createClient(test.platform.url);
  const { StatusCode, FunctionError, LogResult, ExecutedVersion, Payload } = await client.send(
    new InvokeCommand({
      FunctionName: "arn:aws:lambda:us-east-1:000000000000:function:plain",
      Qualifier: "$LATEST",
      LogType: "Tail",
      ClientContext: btoa('{"a":1}'),
      Payload: encode('{"n":1}'),
    }),
  );
  assertEquals([StatusCode, FunctionError, ExecutedVersion], [200, undefined, "$LATEST"]);
  assertEquals(atob(LogResult!), "END\n");
  const result = JSON.parse(Payload!.transformToString());
  assertEquals(result, { event: { n: 1 }, context: '{"a":1}' });
  client.destroy();
});

Deno.test("the AWS SDK sees failures, asynchronous invocations and errors as such", async () => {
  await using test = await startTestPlatform(() => ({ failure: "error" }));
  const client = createClient(test.platform.url);
  const failed = await client.send(new InvokeCommand({ FunctionName: "plain" }));
  assertEquals(failed.FunctionError, "Unhandled");
  const event = new InvokeCommand({ FunctionName: "plain", InvocationType: "Event" });
  assertEquals((await client.send(event)).StatusCode, 202);
  const dryRun = new InvokeCommand({ FunctionName: "plain", InvocationType: "DryRun" });
  await test.platform.settled();
  test.host.calls.length = 0;
  assertEquals((await client.send(dryRun)).StatusCode, 204);
  assertEquals(test.host.calls, [], "a dry run runs nothing");
  const error = await assertRejects(
    () => client.send(new InvokeCommand({ FunctionName: "nope" })),
    ResourceNotFoundException,
  );
  assertStringIncludes(error.message, "Function not found: arn:aws:lambda:");
  client.destroy();
});

Deno.test("the AWS SDK gets a streamed result as it comes, and the error of a function", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using test = await startTestPlatform(async ({ options }) => {
    const writer = options.stream!("text/plain").getWriter();
    await writer.write(encode("one"));
    await promise;
    await writer.write(encode("two"));
    await writer.close();
    return { payload: new Uint8Array(), logTail: "END\n" };
  });
  const client = createClient(test.platform.url);
  const invoke = async () => {
    const input = { FunctionName: "plain", LogType: "Tail" } as const;
    const { EventStream } = await client.send(new InvokeWithResponseStreamCommand(input));
    const events: unknown[] = [];
    for await (const { PayloadChunk, InvokeComplete } of EventStream!) {
      if (PayloadChunk) events.push(new TextDecoder().decode(PayloadChunk.Payload));
      if (InvokeComplete) events.push(InvokeComplete);
      resolve(); // The first part arrives before the second is made.
    }
    return events;
  };
  assertEquals(await invoke(), ["one", "two", { LogResult: btoa("END\n") }]);
  const payload = encode('{"errorType":"E"}');
  test.host.answer = () => ({ failure: "error", payload });
  const failed = { ErrorCode: "Unhandled", ErrorDetails: '{"errorType":"E"}', LogResult: "" };
  assertEquals(await invoke(), [failed]);
  test.host.answer = () => '"plain"';
  assertEquals(await invoke(), ['"plain"', { LogResult: "" }]);
  client.destroy();
});
