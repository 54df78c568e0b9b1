import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { send } from "../testdata/platform.ts";
import type { Reply } from "../lambda/http.ts";
import { listen } from "./server.ts";
import { within } from "../../testdata/waiting.ts";

/** Starts a server with one reply. Collects the errors that it reports. */
async function serve(reply: Partial<Reply> = {}, requestTimeout?: number) {
  const errors: string[] = [];
  const server = await listen(
    () => Promise.resolve({ status: 200, headers: [], body: new Uint8Array(), ...reply }),
    { port: 0, onError: ({ message }) => void errors.push(message), requestTimeout },
  );
  return {
    port: server.port,
    errors,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Sends bytes to a server, and reads until the server hangs up. */
async function exchange(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  return await within("the end of the answer", new Response(connection.readable).text());
}

Deno.test("listen() reports a failure of the content, and closes the connection", async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("Hel")),
    pull: (controller) => controller.error(new Error("The disk is gone")),
  });
  await using server = await serve({ headers: [["Content-Length", "5"]], body });
  await assertRejects(async () => await (await fetch(`http://localhost:${server.port}`)).text());
  const { port } = server;
  assertEquals(server.errors, [
    `Cannot send the response to GET localhost:${port}/: The disk is gone`,
  ]);
});

Deno.test("listen() keeps an idle connection longer than fetch() of Deno, which takes it again within 90 s", async () => {
  await using server = await serve();
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  const head = new Uint8Array(1_000);
  const count = await within("the answer", connection.read(head));
  const [, seconds] = /keep-alive: timeout=(\d+)/i.exec(
    new TextDecoder().decode(head.subarray(0, count!)),
  )!;
  assertEquals(Number(seconds) > 90, true, seconds);
});

Deno.test("listen() sends no body with 204, 304 and to HEAD", async () => {
  const body = new TextEncoder().encode("Hello");
  for (const [status, method] of [[204, "GET"], [304, "GET"], [200, "HEAD"]] as const) {
    await using server = await serve({ status, body });
    const response = await send(server.port, { method, path: "/" });
    assertEquals([response.status, response.text], [status, ""]);
    assertEquals(response.header("content-length"), status === 200 ? "5" : undefined);
  }
});

Deno.test("listen() sends the bytes of header values as they are, at once with a stream", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  for (const body of [new Uint8Array(), readable]) {
    await using server = await serve({ headers: [["X-Name", "caf\xc3\xa9"]], body });
    const response = await within("the head", fetch(`http://127.0.0.1:${server.port}`));
    assertEquals(response.headers.get("X-Name"), "caf\xc3\xa9");
    if (body === readable) await writable.close();
    await response.body?.cancel();
  }
});

Deno.test("listen() cancels the content if the client goes away", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => resolve(),
  });
  await using server = await serve({ body });
  const response = await fetch(`http://localhost:${server.port}`);
  await response.body!.cancel();
  await within("cancel() of the content", promise);
  assertEquals(server.errors, []);
});

Deno.test("listen() answers and reports a request that is invalid, too large or incomplete", async () => {
  const [badRequest, tooLarge] = ["400 Bad Request", "431 Request Header Fields Too Large"];
  const cases = [
    ["HELLO\r\n\r\n", badRequest],
    ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc", badRequest], // TLS
    ["GET / HTTP/1.1\r\nHost: localhost\r\n: 1\r\n\r\n", badRequest],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(100_000)}`, tooLarge],
    [`GET /${"x".repeat(100_000)}`, tooLarge],
    ["GET / HT", "408 Request Timeout"],
    ["GET / HTTP/1.1\r\nHost: localhost\r\n", "408 Request Timeout"],
  ] as const;
  for (const [bytes, status] of cases) {
    await using server = await serve({}, status.startsWith("408") ? 100 : undefined);
    const [head, body] = (await exchange(server.port, bytes)).split("\r\n\r\n");
    assertStringIncludes(head!, `HTTP/1.1 ${status}`);
    assertEquals(JSON.parse(body!), { message: status.slice(4) });
    assertEquals(server.errors.length, 1);
    assertStringIncludes(server.errors[0]!, "Cannot read a request as HTTP/1.1: ");
  }
});

Deno.test("listen() closes a connection that sends nothing, as browsers open them, without a report", async () => {
  await using server = await serve({}, 100);
  assertEquals(await exchange(server.port, ""), "");
  assertEquals(server.errors, []);
});

Deno.test("listen() closes a connection after an error, also if the client keeps it open", async () => {
  await using server = await serve();
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const bytes = new TextEncoder().encode("HELLO\r\n\r\n");
  await connection.write(bytes);
  const sendMore = async () => {
    for (;;) {
      await connection.write(bytes);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };
  const closed = assertRejects(sendMore, Error); // a broken pipe or a reset
  await within("the end of the connection", closed);
});

Deno.test("listen() answers 431 to more than 1,000 header lines, and reads 1,000", async () => {
  await using server = await serve();
  for (const [count, status] of [[1_000, 200], [1_001, 431], [3_000, 431]] as const) {
    const headers = Array.from({ length: count - 2 }, () => ["a", "b"] as const);
    assertEquals((await send(server.port, { path: "/", headers })).status, status, `${count}`);
  }
});

Deno.test("listen() does not report a client that goes away during a request", async () => {
  await using server = await serve();
  for (const bytes of ["", "GET / HT", "GET / HTTP/1.1\r\nHost: local"]) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    await connection.write(new TextEncoder().encode(bytes));
    connection.close();
  }
  assertEquals((await send(server.port, { path: "/" })).status, 200);
  assertEquals(server.errors, []);
});
