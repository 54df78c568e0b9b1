import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { run, RuntimeApiError } from "./mod.ts";
import { drive, onlyPost } from "./testdata/drive.ts";
import { invocation, render, StubApi } from "./testdata/stub_api.ts";

Deno.test("run() opens a connection again that was closed while idle", async () => {
  await using stub = new StubApi([
    invocation(1),
    invocation(2, {}, { close: true }), // closed before the response
    invocation(3),
  ]);
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && stub.posts.length === 1
      ? { status: 202, close: true }
      : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "2", "3"]);
  assertEquals([stub.connections, log], [3, []]);
});

Deno.test("run() answers once more where the connection is lost before the answer's first byte, and no more", async () => {
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let drops = 0;
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && drops++ === 0 ? { raw: "", close: true } : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "1", "2"]);
  assertEquals(log, []);
});

Deno.test("run() gives up a response whose connection is lost twice, logs it, and goes on", async () => {
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let drops = 0;
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && drops++ < 2 ? { raw: "", close: true } : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "1", "2"]);
  assertStringIncludes(log.join(), "closed the connection before it answered");
  assertEquals(log.join().includes("undefined"), false); // there was no status
});

Deno.test("run() does not answer again where the connection is lost within the answer", async () => {
  await using stub = new StubApi([invocation(1), invocation(2)]);
  let drops = 0;
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") && drops++ === 0
      ? { raw: "HTTP/1.1 202 Acc", close: true }
      : undefined;
  const log = await drive(stub, (event) => event);
  assertEquals(stub.posts.map(({ body }) => body), ["1", "2"]);
  assertEquals(log.length, 1);
});

Deno.test("run() does not fetch an invocation again that was lost on the way", async () => {
  await using stub = new StubApi([]);
  stub.onRequest = () => ({
    raw: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nLambda-Runtime-Aws-Request-Id: 1\r\n\r\n{",
    close: true,
  });
  await assertRejects(() => run(() => 1, { api: stub.api }), RuntimeApiError, "ended before");
  assertEquals(stub.requests.length, 1);
});

Deno.test("run() waits for an API that answers late, and bit by bit", async () => {
  await using stub = new StubApi([
    invocation({ text: "é€😀" }, {}, { delay: 150, pieces: 7 }),
    { raw: render(invocation("[1]", { "Transfer-Encoding": "chunked" }, {})), delay: 1 },
  ]);
  stub.onRequest = ({ path }) =>
    path.endsWith("/response") ? { status: 202, pieces: 1, delay: 20 } : undefined;
  // The second is chunked and has a length as well, which is how messages are smuggled.
  const error = await assertRejects(
    () => run((event) => event, { api: stub.api }),
    RuntimeApiError,
  );
  assertStringIncludes(error.message, "malformed Transfer-Encoding");
  assertEquals(onlyPost(stub).body, '{"text":"é€😀"}');
});

Deno.test("run() reaches an API at an IPv6 address", async () => {
  await using stub = new StubApi([invocation("6")], "::1");
  await drive(stub, (event) => event);
  assertEquals(onlyPost(stub).headers.host, stub.api);
  assertMatch(stub.api, /^\[::1\]:/);
});

Deno.test("run() passes every proxy by", async () => {
  Deno.env.set("HTTP_PROXY", "http://127.0.0.1:1");
  Deno.env.set("http_proxy", "http://127.0.0.1:1");
  try {
    await using stub = new StubApi([invocation(1)]);
    await drive(stub, (event) => event);
    assertEquals(onlyPost(stub).body, "1");
  } finally {
    Deno.env.delete("HTTP_PROXY");
    Deno.env.delete("http_proxy");
  }
});

for (
  const [name, last] of [
    ["closes the connection", ""],
    ["says something unasked", "HTTP/1.1 408 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"],
  ] as const
) {
  Deno.test(`run() answers over a new connection where the API ${name} while the handler works`, async () => {
    await using stub = new StubApi([
      invocation('"json"'),
      invocation('"stream"'),
      invocation('"json"'),
    ]);
    async function* chunks() {
      await stub.hangUp(last);
      yield* ["a", "b"];
    }
    const log = await drive(stub, async (event: string) => {
      if (event === "stream") return chunks();
      await stub.hangUp(last);
      return event;
    });
    assertEquals(stub.posts.map(({ body }) => body), ['"json"', "ab", '"json"']);
    assertEquals([stub.connections, log], [4, []]);
  });
}
