import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { MANIFEST, send, startTestPlatform, TestHost } from "../testdata/platform.ts";
import { startPlatform } from "./platform.ts";
import { PortTakenError } from "./server.ts";

Deno.test("the platform listens on the loopback interface only, in both versions of IP", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  assertEquals((await send(port, { path: "/" }, "127.0.0.1")).status, 200);
  const others = Deno.networkInterfaces().filter(({ address }) =>
    !/^127\.|^::1$|^fe80/.test(address)
  );
  for (const { address } of others) {
    await assertRejects(() => Deno.connect({ hostname: address, port }), Error, undefined, address);
  }
  if (Deno.networkInterfaces().some(({ address }) => address === "::1")) {
    await send(port, { path: "/v0/echo" }, "::1");
    assertEquals(test.host.calls[0]!.event.requestContext.identity.sourceIp, "::1");
  }
});

Deno.test("the platform names a port that is in use, and the remedy", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  const start = () => startPlatform(MANIFEST, { host: new TestHost(() => "{}"), port });
  const { message } = await assertRejects(start, PortTakenError);
  assertEquals(
    message,
    `Cannot listen on port ${port}: another program uses it; stop that program, or choose another port with --port (0 for any)`,
  );
});

Deno.test("the platform notices that its port is in use in the other version of IP", async () => {
  let other;
  try {
    other = Deno.listen({ hostname: "::1", port: 0 });
  } catch {
    console.error("NOT RUN: this machine has no IPv6");
    return;
  }
  const port = (other.addr as Deno.NetAddr).port;
  await assertRejects(() => startTestPlatform(() => "{}", { port }), PortTakenError);
  other.close();
});

Deno.test("the platform takes only requests for the loopback interface, at every path", async () => {
  await using test = await startTestPlatform();
  const foreign = [
    "",
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example:80",
    "localhost@evil.example",
    "evil.example#localhost",
    "127.0.0.1.nip.example",
    "0.0.0.0:8000",
    "[::ffff:127.0.0.1]",
    "localhost:123456",
  ];
  for (const path of ["/", "/v0/echo", "/log", "/2015-03-31/functions/plain/invocations"]) {
    for (const host of foreign) {
      const response = await test.send({ path, headers: [["Host", host]] });
      assertEquals(response.status, 421, host);
      assertStringIncludes(response.text, "this server is only for localhost");
    }
    const absolute = await test.send({ path: `http://evil.example${path}` });
    assertEquals(absolute.status, 421, "a target that is a URL counts more than Host");
  }
  assertEquals(test.host.calls, []);
  for (const host of ["localhost", "localhost:8000", "LOCALHOST:1", "127.0.0.1:80", "[::1]:8000"]) {
    assertEquals((await test.send({ path: "/", headers: [["Host", host]] })).status, 200, host);
  }
});

Deno.test("the platform takes exactly one host", async () => {
  for (
    const [version, hosts, status] of [
      ["1.1", ["localhost", "localhost"], 400],
      ["1.1", ["localhost", "LOCALHOST"], 400],
      ["1.0", ["localhost", "evil.example"], 400],
      ["1.1", [], 400],
      ["1.0", [], 200], // the target is a URL
      ["1.1", ["localhost"], 200],
    ] as const
  ) {
    await using test = await startTestPlatform();
    for (const path of ["/", "/v0/echo"]) {
      const lines = hosts.map((host, i) => `${i === 0 ? "Host" : "host"}: ${host}`);
      const head = [`GET http://localhost${path} HTTP/${version}`, ...lines, "Connection: close"];
      using connection = await Deno.connect({ port: test.platform.port });
      await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`));
      const answer = await new Response(connection.readable).text();
      assertStringIncludes(answer, `HTTP/1.1 ${status} `, `${path} ${version} ${hosts}`);
    }
    assertEquals(test.host.calls.length, status === 200 ? 1 : 0);
  }
});

Deno.test("the platform refuses changes by pages of other origins", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  for (
    const [method, path] of [
      ["POST", "/2015-03-31/functions/plain/invocations"],
      ["POST", "/schedules/clock"],
      ["POST", "/topics/news"],
      ["POST", "/queues/jobs"],
      ["POST", "/events"],
      ["PUT", "/buckets/files/x"],
      ["DELETE", "/buckets/files/x"],
    ] as const
  ) {
    for (
      const header of [
        ["Origin", "https://evil.example"],
        ["Origin", "null"],
        ["Origin", "http://localhost:3000"],
        ["Origin", `https://localhost:${port}`],
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Site", "same-site"],
      ] as const
    ) {
      const response = await test.send({ method, path, headers: [header], body: "message=m" });
      assertEquals(response.status, 403, `${method} ${path} ${header}`);
      assertEquals(response.header("Access-Control-Allow-Origin"), undefined);
    }
  }
  await test.platform.settled();
  assertEquals(test.host.calls, []);
  for (
    const header of [
      ["Origin", `http://localhost:${port}`],
      ["Origin", `http://LOCALHOST:${port}`],
      ["Sec-Fetch-Site", "same-origin"],
      ["Sec-Fetch-Site", "none"],
    ] as const
  ) {
    const path = "/buckets/files/x";
    const response = await test.send({ method: "PUT", path, headers: [header], body: "x" });
    assertEquals(response.status, 200, `${header}`);
  }
  const reading = await test.send({ path: "/", headers: [["Origin", "https://evil.example"]] });
  assertEquals(reading.status, 200);
});

Deno.test("the platform passes requests of other origins to routes", async () => {
  await using test = await startTestPlatform();
  const headers = [["Origin", "https://app.example"], ["Sec-Fetch-Site", "cross-site"]] as const;
  const response = await test.send({ method: "POST", path: "/v0/echo", headers, body: "x" });
  assertEquals(response.status, 200);
});

Deno.test("the platform survives requests that no client sends", async () => {
  await using test = await startTestPlatform();
  {
    using connection = await Deno.connect({ port: test.platform.port });
    const head = "POST /v0/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n";
    await connection.write(new TextEncoder().encode(`${head}abc`));
  }
  assertEquals((await test.send({ method: "OPTIONS", path: "*" })).status, 403);
  using old = await Deno.connect({ port: test.platform.port });
  await old.write(new TextEncoder().encode("GET / HTTP/1.0\r\n\r\n"));
  assertStringIncludes(await new Response(old.readable).text(), " 421 ", "without a host");
  assertEquals((await test.send({ path: "/v0/echo" })).status, 200);
});

Deno.test("the log is sent as it grows, and from the place of a reader", async () => {
  await using test = await startTestPlatform();
  test.log.note("one");
  test.log.note("two\r\nlines </script>");
  const abort = new AbortController();
  const response = await fetch(`${test.platform.url}/log`, {
    headers: { "Last-Event-ID": "1" },
    signal: abort.signal,
  });
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("id: 2\n") && !text.includes("three")) test.log.note("three");
    if (text.includes("three")) break;
  }
  abort.abort();
  const events = text.split("\n\n").filter((event) => event.startsWith("id: "));
  assertEquals(events.map((event) => event.split("\n")[0]), ["id: 2", "id: 3"]);
  const data = JSON.parse(events[0]!.split("data: ")[1]!);
  assertEquals([data.functionName, data.text], ["", "two\r\nlines </script>"]);
  assertMatch(data.time, /^\d{4}-/);
});

Deno.test("stopping the platform ends open connections", async () => {
  const test = await startTestPlatform();
  const response = await fetch(`${test.platform.url}/log`);
  const reader = response.body!.getReader();
  await reader.read();
  await test[Symbol.asyncDispose]();
  await reader.read().catch(() => {}); // ends, or fails: it does not hang
  await assertRejects(
    () => Deno.connect({ port: test.platform.port }),
    Deno.errors.ConnectionRefused,
  );
});
