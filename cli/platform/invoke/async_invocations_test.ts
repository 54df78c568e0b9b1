import { assertEquals } from "@std/assert";
import { startTestPlatform, type TestRequest } from "../../testdata/platform.ts";

const post = (request: Partial<TestRequest>): TestRequest => ({
  method: "POST",
  path: "/2015-03-31/functions/plain/invocations",
  ...request,
});

Deno.test("Invoke with Event answers 202, and a failure is tried twice more with the same request id", async () => {
  await using test = await startTestPlatform(() => ({ failure: "error" }));
  const response = await test.send(post({
    headers: [["X-Amz-Invocation-Type", "Event"]],
    body: '{"n":1}',
  }));
  assertEquals([response.status, response.text], [202, ""]);
  await test.platform.settled();
  const requestId = response.header("x-amzn-RequestId")!;
  assertEquals(test.host.calls.map(({ options }) => options.requestId), [
    requestId,
    requestId,
    requestId,
  ]);
  assertEquals(test.host.calls.map(({ event }) => event), [{ n: 1 }, { n: 1 }, { n: 1 }]);
  assertEquals(test.log.after(0).map(({ text }) => text), [
    `Gave up the event of "plain" after 3 attempts: RequestId ${requestId}`,
  ]);
});

Deno.test("Invoke with Event tries no more once the function succeeded, and survives a host that rejects", async () => {
  const answers = [() => Promise.reject(new Error("no sandbox")), () => "1"];
  await using test = await startTestPlatform(() => answers.shift()!());
  await test.send(post({ headers: [["X-Amz-Invocation-Type", "Event"]] }));
  await test.platform.settled();
  assertEquals(answers, []);
  assertEquals(test.log.after(0).map(({ text }) => text), ['Cannot invoke "plain": no sandbox']);
});

Deno.test("stopping the platform gives up the retries that are due", async () => {
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const test = await startTestPlatform(() => {
    resolve();
    return { failure: "error" };
  }, { retryDelays: [3_600_000] });
  await test.send(post({ headers: [["X-Amz-Invocation-Type", "Event"]] }));
  await failed;
  await test[Symbol.asyncDispose]();
  await test.platform.settled();
  assertEquals([test.host.calls.length, test.log.after(0)], [1, []]);
});

Deno.test("stopping the platform does not wait for an invocation", async (t) => {
  for (const end of ["answers", "rejects"] as const) {
    await t.step(`it ${end} later`, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const test = await startTestPlatform(() => promise);
      await test.send(post({ headers: [["X-Amz-Invocation-Type", "Event"]] }));
      await test[Symbol.asyncDispose]();
      if (end === "answers") resolve("{}");
      else reject(new Error("The host has ended"));
      await test.platform.settled();
      assertEquals([test.host.calls.length, test.log.after(0)], [1, []]);
    });
  }
});
