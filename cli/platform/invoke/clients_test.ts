import {
  InvokeCommand,
  InvokeWithResponseStreamCommand,
  LambdaClient,
  ResourceNotFoundException,
} from "@aws-sdk/client-lambda";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { startTestPlatform } from "../../testdata/platform.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_REGION: "us-east-1",
  AWS_DEFAULT_REGION: "us-east-1",
  AWS_MAX_ATTEMPTS: "1",
};

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
  assertEquals((await client.send(dryRun)).StatusCode, 204);
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

const cli = await findCli();

Deno.test({
  name: "aws lambda invoke works unchanged",
  ignore: cli === undefined,
  fn: async () => {
    await using test = await startTestPlatform(({ event }) => ({
      payload: encode(JSON.stringify(event)),
      logTail: "END\n",
    }));
    const file = await Deno.makeTempFile();
    const run = (...args: string[]) =>
      new Deno.Command(cli!, {
        args: ["lambda", "invoke", "--endpoint-url", test.platform.url, ...args, file],
        env: ENVIRONMENT,
      }).output();
    const { code, stdout, stderr } = await run("--function-name", "plain", "--log-type", "Tail");
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
      StatusCode: 200,
      LogResult: btoa("END\n"),
      ExecutedVersion: "$LATEST",
    });
    assertEquals(await Deno.readTextFile(file), "{}");
    const missing = await run("--function-name", "nope");
    assert(missing.code !== 0);
    assertStringIncludes(
      new TextDecoder().decode(missing.stderr),
      "(ResourceNotFoundException) when calling the Invoke operation: Function not found",
    );
    await Deno.remove(file);
  },
});

/** The command `aws`. If it is not installed, a line says so. */
async function findCli(): Promise<string | undefined> {
  try {
    await new Deno.Command("aws", { args: ["--version"], stdout: "null", stderr: "null" }).output();
    return "aws";
  } catch {
    console.error('NOT RUN: "aws lambda invoke works unchanged", for the AWS CLI is not installed');
  }
}
