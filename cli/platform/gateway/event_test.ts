import { assert, assertEquals, assertMatch } from "@std/assert";
import { proxyEvent } from "@mate/core/testing";
import { startTestPlatform } from "../../testdata/platform.ts";

Deno.test("the gateway sends the event of a REST API with the facts of the request", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  const request = {
    method: "POST",
    path: "/v0/echo/a%2Fb/c?x=1&x=2%20z&y=%C3%BC",
    headers: [["User-Agent", "curl/8"], ["X-MiXed", "yes"], ["x-dup", "1"], ["X-Dup", "2"]],
    body: '{"a":1}',
  } as const;
  const before = Date.now();
  await test.send(request);
  const { name, event, options } = test.host.calls[0]!;
  const { requestContext, headers } = event;
  const { deploymentId, resourceId, requestId, requestTimeEpoch, extendedRequestId } =
    requestContext;
  const traceId = headers["X-Amzn-Trace-Id"];
  assertEquals([name, options.traceId], ["echo", traceId]);
  assertMatch(traceId, /^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  assertMatch(requestId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assertMatch(extendedRequestId, /^[A-Za-z0-9+/]{15}=$/);
  assert(requestTimeEpoch >= before && requestTimeEpoch <= Date.now());
  const expected = await proxyEvent({
    ...request,
    url: `http://localhost:${port}${request.path}`,
    headers: [...request.headers, ["X-Amzn-Trace-Id", traceId]],
  }, {
    apiId: "app",
    base64: true,
    stage: "v0",
    route: "ANY /echo/{proxy+}",
    sourceIp: "127.0.0.1",
    time: new Date(requestTimeEpoch),
    requestId,
    extendedRequestId,
  });
  Object.assign(expected.requestContext, { accountId: "000000000000", deploymentId, resourceId });
  assertEquals(event, expected);
});

Deno.test("the gateway passes the path on as it is", async () => {
  await using test = await startTestPlatform();
  for (
    const [path, eventPath] of [
      ["/v0/echo/", "/echo/"],
      ["/v0/echo/%E4%B8%AD%20x", "/echo/%E4%B8%AD%20x"],
      ["/v0/echo/a//b/../c", "/echo/a//b/../c"],
      ["http://localhost/v0/echo/x", "/echo/x"],
    ] as const
  ) {
    assertEquals((await test.send({ path })).status, 200);
    const { event } = test.host.calls.at(-1)!;
    assertEquals([event.path, event.requestContext.path], [eventPath, `/v0${eventPath}`]);
  }
});

Deno.test("the gateway keeps the trace of the client, in any case", async () => {
  await using test = await startTestPlatform();
  await test.send({ path: "/v0/echo", headers: [["x-amzn-trace-id", "Root=1-5-6"]] });
  const { event: { headers }, options } = test.host.calls[0]!;
  assertEquals([headers["x-amzn-trace-id"], options.traceId], ["Root=1-5-6", "Root=1-5-6"]);
});

Deno.test("the gateway takes the host from a target that is a URL, not from Host", async () => {
  await using test = await startTestPlatform();
  const path = "http://LOCALHOST:8000/v0/echo";
  const { status } = await test.send({ path, headers: [["host", "evil.example"]] });
  assertEquals(status, 200);
  const { multiValueHeaders, requestContext } = test.host.calls[0]!.event;
  assertEquals(multiValueHeaders.host, ["localhost:8000"]);
  assertEquals(requestContext.domainName, "localhost:8000");
});

Deno.test("the gateway takes a request of HTTP/1.0 without a Host", async () => {
  await using test = await startTestPlatform();
  using connection = await Deno.connect({ port: test.platform.port });
  const request = "GET http://localhost/v0/echo HTTP/1.0\r\n\r\n";
  await connection.write(new TextEncoder().encode(request));
  await connection.read(new Uint8Array(1_000));
  const { domainName, protocol } = test.host.calls[0]!.event.requestContext;
  assertEquals([domainName, protocol], ["localhost", "HTTP/1.0"]);
});
