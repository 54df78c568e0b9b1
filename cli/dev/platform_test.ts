import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { makeApp } from "../testdata/bundle.ts";
import { MANIFEST, send, startTestPlatform, TestHost } from "../testdata/platform.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { startPlatform } from "./platform.ts";
import { PortTakenError } from "./server.ts";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { within } from "../../testdata/waiting.ts";

const hasIpv6 = Deno.networkInterfaces().some(({ address }) => address === "::1");
if (!hasIpv6) console.error("NOT RUN: parts of the tests of ports, because there is no IPv6");

Deno.test("the platform listens on the loopback interface only, with IPv4 and IPv6", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  assertEquals((await send(port, { path: "/v0/echo" }, "127.0.0.1")).status, 200);
  const others = Deno.networkInterfaces().filter(({ address }) =>
    !/^127\.|^::1$|^fe80/.test(address)
  );
  for (const { address } of others) {
    await assertRejects(() => Deno.connect({ hostname: address, port }), Error, undefined, address);
  }
  if (!hasIpv6) return;
  await send(port, { path: "/v0/echo" }, "::1");
  assertEquals(test.host.calls[1]!.event.requestContext.identity.sourceIp, "::1");
});

Deno.test("a test reaches the platform, and not the proxy that the environment names", async () => {
  const file = `${temporaryFolder()}/one.ts`;
  const importOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  await Deno.writeTextFile(
    file,
    `import { startPlatform } from ${importOf("./platform.ts")};
    import { MANIFEST, TestHost } from ${importOf("../testdata/platform.ts")};
    const host = new TestHost(() => '{"statusCode":200,"body":"here"}');
    await using platform = await startPlatform(MANIFEST, { host });
    console.log(await (await fetch(\`\${platform.url}/v0/echo\`)).text());`,
  );
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const args = ["run", "-A", "--no-lock", "--no-check", "--quiet", "--config", config, file];
  const env = { NO_COLOR: "1", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "" };
  assertEquals((await succeed(Deno.execPath(), args, { env })).trim(), "here");
});

Deno.test("the platform names a port that is in use with IPv4 or IPv6, and the remedy", async () => {
  for (const hostname of hasIpv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]) {
    using other = Deno.listen({ hostname, port: 0 });
    const { port } = other.addr;
    const start = () => startPlatform(MANIFEST, { host: new TestHost(() => "{}"), port });
    const { message } = await assertRejects(start, PortTakenError);
    assertEquals(
      message,
      `Cannot listen on port ${port}: another program uses it; stop that program, or choose another port with --port (0 for any)`,
    );
  }
});

Deno.test("the platform takes only requests for the loopback interface, at every path", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  const foreign = [
    "",
    "localhost",
    `localhost:${port + 1}`, // A proxy brings requests for other ports.
    `localhost:0${port}0`,
    "127.0.0.1:80",
    "[::1]",
    "evil.example",
    "evil.example:8000",
    "localhost.evil.example:80",
    "localhost@evil.example",
    "evil.example#localhost",
    "127.0.0.1.nip.example",
    `0.0.0.0:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    "localhost:123456",
  ];
  for (const path of ["/", "/v0/echo", "/log", "/2015-03-31/functions/plain/invocations"]) {
    for (const host of foreign) {
      const response = await test.send({ path, headers: [["Host", host]] });
      assertEquals(response.status, 421, host);
      assertStringIncludes(response.text, `this server is only for the port ${port} of localhost`);
    }
    for (const host of ["evil.example", "127.0.0.1:1"]) {
      const absolute = await test.send({ path: `http://${host}${path}` });
      assertEquals(absolute.status, 421, "a URL as the target takes precedence over Host");
    }
  }
  assertEquals(test.host.calls, []);
  for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`]) {
    assertEquals((await test.send({ path: "/", headers: [["Host", host]] })).status, 200, host);
  }
});

Deno.test("a route of the application comes before the front door of localhost", async () => {
  const routes = [{ method: "GET", path: "/" }];
  const functions = { home: { module: "home.ts", triggers: { routes } } };
  const manifest = { name: "app", stage: "v0", gateway: "http", functions };
  await using test = await startTestPlatform(
    () => JSON.stringify({ statusCode: 200, body: "home" }),
    {
      manifest: parseManifest(JSON.stringify(manifest), "app.json"),
    },
  );
  const { port } = test.platform;
  const get = (host: string) =>
    send(port, { path: "/", headers: [["Host", `${host}:${port}`], ["Accept", "text/html"]] });
  assertEquals((await get("localhost")).text, "home");
  assertStringIncludes((await get("127.0.0.1")).text, "app is running");
});

Deno.test("the application and the platform have two origins, and the platform needs its secret", async () => {
  await using test = await startTestPlatform(() =>
    JSON.stringify({ headers: { "Service-Worker-Allowed": "/", "X-A": "1" } })
  );
  const get = (host: string, path: string) => test.send({ path, headers: [["Host", host]] });
  const { port } = test.platform;
  for (const name of ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"]) {
    const headers = [["Host", `${name}:${port}`]] as const;
    const { status, text } = await send(port, { path: "/", headers });
    assertEquals([status, text.includes("the address that the platform prints")], [404, true]);
  }
  const { pathname } = new URL(test.platform.controlUrl);
  const wrong = pathname.replace(/.$/, (last) => last === "0" ? "1" : "0");
  for (const path of ["//", "/log", "/settled", "/favicon.ico", `${wrong}/`, `${pathname}x/`]) {
    const { status, text } = await send(port, { path });
    assertEquals([status, text.includes("needs its secret")], [403, true], path);
    assertEquals(text.includes(pathname), false);
  }
  const { servicesUrl } = test.platform;
  for (
    const url of [new URL(servicesUrl).origin, servicesUrl.replace(/.$/, "x"), `${servicesUrl}x`]
  ) {
    const response = await fetch(url, { headers: { "x-amz-target": "AmazonSQS.ListQueues" } });
    assertEquals([response.status, (await response.text()).includes("needs its secret")], [
      403,
      true,
    ]);
  }
  assertEquals((await send(port, { path: pathname })).header("Location"), `${pathname}/`);
  for (const path of ["/log", "/assets/script.js", "/queues/jobs", "/buckets/files"]) {
    assertEquals((await get(`localhost:${port}`, path)).status, 403, "no route");
  }
  const route = await get(`localhost:${port}`, "/v0/echo");
  assertEquals([route.status, route.header("X-A")], [200, "1"]);
  assertEquals(route.header("Service-Worker-Allowed"), undefined);
  test.host.calls.length = 0;
  const missing = await get(`127.0.0.1:${port}`, `${pathname}/v0/echo`);
  assertEquals(
    [missing.status, JSON.parse(missing.text).message],
    [404, `There is no /v0/echo here: the application is at http://localhost:${port}`],
  );
  assertEquals(test.host.calls, []);
});

Deno.test("the platform sends a request of the start page to the gateway", async () => {
  await using test = await startTestPlatform(() =>
    JSON.stringify({ statusCode: 201, headers: { "X-A": "1" }, body: "<b>ü</b>" })
  );
  const request = { method: "PUT", path: "/v0/echo/a?b=1", headers: [["X-B", "2"]], body: "ü" };
  const send = (body: unknown) =>
    test.send({ method: "POST", path: "/requests", body: JSON.stringify(body) });
  const response = await send(request);
  assertEquals([response.status, response.header("Content-Type")], [200, "application/json"]);
  const { status, statusText, headers, body } = JSON.parse(response.text);
  assertEquals([status, statusText, body], [201, "Created", "<b>ü</b>"]);
  assertEquals(new Headers(headers).get("X-A"), "1");
  const { event } = test.host.calls[0]!;
  assertEquals([event.httpMethod, event.path, event.body], ["PUT", "/echo/a", "w7w="]);
  assertEquals(new Headers(event.headers).get("Host"), `localhost:${test.platform.port}`);
  assertEquals([event.queryStringParameters, event.headers["X-B"]], [{ b: "1" }, "2"]);
  const wrong = [
    null,
    { ...request, path: "//x y" },
    { ...request, path: "v0" },
    { ...request, headers: [["a b", "1"]] },
    { ...request, headers: [["a", "1\r\nb: 2"]] },
    { ...request, body: 1 },
  ];
  for (const form of wrong) {
    const refused = await send(form);
    assertEquals(refused.status, 400, JSON.stringify(form));
    assertMatch(JSON.parse(refused.text).message, /^Cannot send the request: /);
  }
  assertEquals((await test.send({ path: "/requests" })).status, 405);
  assertEquals(test.host.calls.length, 1);
});

Deno.test("the platform refuses pages of other origins, except at routes and the start page", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  const foreign = [
    ["Origin", "https://evil.example"],
    ["Origin", "null"],
    ["Origin", "http://127.0.0.1:3000"],
    ["Origin", `https://127.0.0.1:${port}`],
    ["Origin", `http://localhost:${port}`],
    ["Origin", `http://plain.localhost:${port}`],
    ["Sec-Fetch-Site", "cross-site"],
    ["Sec-Fetch-Site", "same-site"],
  ] as const;
  const requests = [
    ["GET", "/log"],
    ["GET", "/assets/script.js"],
    ["GET", "/buckets/files"],
    ["GET", "/queues/jobs"],
    ["OPTIONS", "/events"],
    ["POST", "/requests"],
    ["POST", "/2015-03-31/functions/plain/invocations"],
    ["POST", "/schedules/clock"],
    ["POST", "/topics/news"],
    ["POST", "/queues/jobs"],
    ["POST", "/events"],
    ["PUT", "/buckets/files/x"],
    ["DELETE", "/buckets/files/x"],
  ] as const;
  for (const [method, path] of requests) {
    for (const header of foreign) {
      const response = await test.send({ method, path, headers: [header], body: "message=m" });
      assertEquals(response.status, 403, `${method} ${path} ${header}`);
      assertEquals(response.header("Access-Control-Allow-Origin"), undefined);
    }
  }
  await test.platform.settled();
  assertEquals(test.host.calls, []);
  const allowed = [
    ["Origin", `http://127.0.0.1:${port}`],
    ["Sec-Fetch-Site", "same-origin"],
    ["Sec-Fetch-Site", "none"],
  ] as const;
  for (const header of allowed) {
    const path = "/buckets/files/x";
    const response = await test.send({ method: "PUT", path, headers: [header], body: "x" });
    assertEquals(response.status, 200, `${header}`);
  }
  for (const header of foreign) {
    const headers = [header];
    assertEquals((await test.send({ path: "/", headers })).status, 200, "reading changes nothing");
    assertEquals((await test.send({ method: "POST", path: "/v0/echo", headers })).status, 200);
  }
});

Deno.test("the platform survives malformed requests", async () => {
  await using test = await startTestPlatform();
  const host = `localhost:${test.platform.port}`;
  {
    using connection = await Deno.connect({ port: test.platform.port });
    const head = `POST /v0/echo HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n\r\n`;
    await connection.write(new TextEncoder().encode(`${head}abc`));
  }
  const star = { method: "OPTIONS", path: "*", headers: [["Host", host]] } as const;
  assertEquals((await test.send(star)).status, 403);
  const cases = [
    ["GET / HTTP/1.0\r\n\r\n", 421],
    [`GET /v0/echo HTTP/1.1\r\nHost: ${host}\r\nhost: ${host}\r\n\r\n`, 400],
    [`GET / HTTP/1.0\r\nHost: ${host}\r\nHOST: evil.example\r\n\r\n`, 400],
  ] as const;
  for (const [request, status] of cases) {
    using connection = await Deno.connect({ port: test.platform.port });
    await connection.write(
      new TextEncoder().encode(request.replace("1.1\r\n", "1.1\r\nConnection: close\r\n")),
    );
    const answer = await within("an answer", new Response(connection.readable).text());
    assertStringIncludes(answer, `HTTP/1.1 ${status} `, request);
  }
  assertEquals((await test.send({ path: "/v0/echo" })).status, 200);
});

Deno.test("the log stream begins after the last record of the reader, and sends new records", async () => {
  await using test = await startTestPlatform();
  test.log.note("one");
  test.log.note("two\r\nlines </script>");
  const response = await fetch(`${test.platform.controlUrl}/log`, {
    headers: { "Last-Event-ID": "1" },
  });
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  let text = "";
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes("id: 2\n") && !text.includes("three")) test.log.note("three");
      if (text.includes("three")) break;
    }
  };
  await within("the third record", read(), () => text);
  const events = text.split("\n\n").filter((event) => event.startsWith("id: "));
  assertEquals(events.map((event) => event.split("\n")[0]), ["id: 2", "id: 3"]);
  const data = JSON.parse(events[0]!.split("data: ")[1]!);
  assertEquals([data.functionName, data.text], ["", "two\r\nlines </script>"]);
  assertMatch(data.time, /^\d{4}-/);
});

Deno.test("stopping the platform ends open connections", async () => {
  const test = await startTestPlatform();
  const response = await fetch(`${test.platform.controlUrl}/log`);
  const reader = response.body!.getReader();
  await reader.read();
  await test[Symbol.asyncDispose]();
  await within("the end of the stream", reader.read().catch(() => {})); // It ends or fails.
  await assertRejects(
    () => Deno.connect({ port: test.platform.port }),
    Deno.errors.ConnectionRefused,
  );
});

Deno.test("startPlatform() runs the stage that an option names, in the sandboxes by default", async () => {
  await using app = await makeApp(
    { "one.ts": "export const handler = () => ({ body: Deno.env.get('LEVEL') });" },
    {
      one: {
        module: "one.ts",
        environment: { LEVEL: "low" },
        triggers: { routes: [{ method: "GET", path: "/level" }] },
      },
    },
    { stages: { prod: { functions: { one: { environment: { LEVEL: "high" } } } } } },
  );
  const platform = await startPlatform(app.manifest, { stage: "prod" });
  assertEquals(await (await fetch(`${platform.url}/prod/level`)).text(), "high");
  await platform.stop();
  await assertRejects(() => fetch(platform.url));
});

Deno.test("the log names the timeout that a function ran into", async () => {
  await using test = await startTestPlatform(({ name }) =>
    name === "plain" ? { failure: "timeout" } : "{}"
  );
  for (const name of ["plain", "echo"]) {
    await test.send({ method: "POST", path: `/2015-03-31/functions/${name}/invocations` });
  }
  const notes = test.log.after(0).map(({ text }) => text).filter((text) =>
    text.includes("timeout")
  );
  assertEquals(notes, [
    'The function "plain" ran into the "timeout" that the manifest gives it: 3 s',
  ]);
});
