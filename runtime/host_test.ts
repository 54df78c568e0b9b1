import { assertEquals, assertRejects } from "@std/assert";
import process from "node:process";
import { Connection } from "./connection.ts";
import { nodeHost } from "./host.ts";
import { httpStream } from "./http_stream.ts";
import { RuntimeApiError } from "./response.ts";
import { Session } from "./session.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

Deno.test("nodeHost() serves events and results of all sizes, and streams", async () => {
  const text = "x".repeat(3_000_000);
  await using stub = new StubApi([
    invocation({ n: 1 }),
    invocation(text, {}, { close: true }),
    invocation("é"),
    invocation("stream"),
  ]);
  const session = new Session(nodeHost(), stub.api);
  const handler = (event: unknown) => {
    return event === "stream" ? httpStream({}, ReadableStream.from(["a", "b"])) : event;
  };
  await assertRejects(() => session.run(handler), RuntimeApiError, "answered 410");
  const bodies = stub.posts.map(({ body }) => body);
  assertEquals(bodies.map((body) => body.length), [7, 3_000_002, 3, 54]);
  assertEquals([bodies[0], bodies[1] === `"${text}"`, bodies[2]], ['{"n":1}', true, '"é"']);
  assertEquals(bodies[3]!.endsWith("\0\0ab"), true);
});

Deno.test("nodeHost() says why it cannot connect, and notices a lost connection", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const api = `127.0.0.1:${listener.addr.port}`;
  listener.close();
  const refused = new Connection(api, nodeHost());
  await assertRejects(() => refused.exchange("GET /"), RuntimeApiError, "ECONNREFUSED");

  await using stub = new StubApi([]);
  stub.onRequest = () => ({ raw: "", close: true });
  const lost = new Connection(stub.api, nodeHost());
  await assertRejects(() => lost.exchange("GET /"), RuntimeApiError, "the connection ended");
});

Deno.test("nodeHost() calls its listeners for the events of the process", () => {
  const listeners: Record<string, (value: unknown) => void> = {};
  const { on } = process;
  const listen = (event: string, listener: () => void) => listeners[event] = listener;
  Object.assign(process, { on: listen });
  const host = nodeHost();
  const seen: unknown[] = [];
  host.onUncaught((error) => seen.push(error));
  host.onDrained(() => seen.push("drained"));
  host.onTerminate(() => seen.push("terminated"));
  Object.assign(process, { on });
  for (const event of ["uncaughtException", "unhandledRejection", "beforeExit", "SIGTERM"]) {
    listeners[event]!(event);
  }
  assertEquals(seen, ["uncaughtException", "unhandledRejection", "drained", "terminated"]);
});

Deno.test("nodeHost() reads and writes the environment, and finds files", () => {
  const host = nodeHost();
  host.setEnv("MATE_TEST", "1");
  assertEquals(host.getEnv("MATE_TEST"), "1");
  host.setEnv("MATE_TEST", undefined);
  assertEquals(host.getEnv("MATE_TEST"), undefined);
  const paths = [new URL(import.meta.url).pathname, "/", "/nowhere"];
  assertEquals(paths.map((path) => host.isFile(path)), [true, false, false]);
});
