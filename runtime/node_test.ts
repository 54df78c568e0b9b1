import type { EventEmitter } from "node:events";
import process from "node:process";
import { currentHost } from "./current_host.ts";
import { denoHost } from "./deno.ts";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Connection } from "./connection.ts";
import { nodeHost } from "./node.ts";
import { parseAddress } from "./address.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";
import { Session } from "./session.ts";
import { httpStream } from "./mod.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

Deno.test("the host of Node.js serves events and results of all sizes, and streams", async () => {
  const text = "x".repeat(3_000_000);
  await using stub = new StubApi([
    invocation({ n: 1 }),
    invocation(JSON.stringify(text), {}, { close: true }),
    invocation('"é"', {}, { pieces: 3 }),
    invocation('"stream"'),
  ]);
  const session = new Session(nodeHost(), stub.api);
  const handler = (event: unknown) => {
    return event === "stream" ? httpStream({}, ReadableStream.from(["a", "b"])) : event;
  };
  await assertRejects(() => session.run(handler), RuntimeApiError, "answered 410");
  const [first, second, third, fourth] = stub.posts.map(({ body }) => body);
  assertEquals([first, second === JSON.stringify(text), third], ['{"n":1}', true, '"é"']);
  assertEquals(fourth!.endsWith("\0\0ab"), true);
});

Deno.test("the host of Node.js notices what befalls a connection while it is idle", async () => {
  await using stub = new StubApi([invocation('"a"'), invocation('"b"')]);
  const session = new Session(nodeHost(), stub.api);
  const handler = async function* (event: unknown) {
    await stub.hangUp(event === "b" ? "HTTP/1.1 408 X\r\nContent-Length: 0\r\n\r\n" : "");
    yield event;
  };
  await assertRejects(() => session.run(handler), RuntimeApiError, "answered 410");
  assertEquals(stub.posts.map(({ body }) => body), ["a", "b"]);
  assertEquals(stub.connections, 3);
});

Deno.test("the host of Node.js says why it cannot connect", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = parseAddress(`127.0.0.1:${listener.addr.port}`);
  listener.close();
  const connection = new Connection(address, nodeHost());
  const error = await assertRejects(() => connection.exchange(new Uint8Array(1)), RuntimeApiError);
  assertStringIncludes(error.message, "ECONNREFUSED");
});

Deno.test("the host of Node.js notices a connection that is reset", async () => {
  await using stub = new StubApi([]);
  stub.onRequest = () => ({ raw: "", close: true });
  const connection = new Connection(parseAddress(stub.api), nodeHost());
  const request = new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n");
  await assertRejects(() => connection.exchange(request), RuntimeApiError, "closed the connection");
});

Deno.test("the host of Node.js calls back for what befalls the process", () => {
  const host = nodeHost();
  const emitter: EventEmitter = process;
  const events = ["uncaughtException", "unhandledRejection", "beforeExit", "SIGTERM"];
  const before = events.map((event) => emitter.listeners(event));
  const seen: unknown[] = [];
  host.onUncaught((error) => seen.push(error));
  host.onDrained(() => seen.push("drained"));
  host.onTerminate(() => seen.push("terminated"));
  for (const [i, event] of events.entries()) {
    for (const listener of emitter.listeners(event)) {
      if (before[i]!.includes(listener)) continue;
      (listener as (value: unknown) => void)(event);
      emitter.removeListener(event, listener as () => void);
    }
  }
  assertEquals(seen, ["uncaughtException", "unhandledRejection", "drained", "terminated"]);
});

Deno.test("the host is that of Node.js where there is no Deno", () => {
  const { Deno: deno } = globalThis;
  try {
    delete (globalThis as { Deno?: unknown }).Deno;
    assertEquals(denoHost(), undefined);
    assertEquals(typeof currentHost().connect, "function");
  } finally {
    globalThis.Deno = deno;
  }
});

Deno.test("the host of Node.js reads and writes the environment, and knows files", async () => {
  const host = nodeHost();
  host.setEnv("MATE_TEST", "1");
  assertEquals(host.getEnv("MATE_TEST"), "1");
  host.setEnv("MATE_TEST", undefined);
  assertEquals(host.getEnv("MATE_TEST"), undefined);
  const { pathname } = new URL(import.meta.url);
  assertEquals(await Promise.all([pathname, "/", "/nowhere"].map((path) => host.isFile(path))), [
    true,
    false,
    false,
  ]);
});
