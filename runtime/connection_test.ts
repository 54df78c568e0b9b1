import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Connection, parseAddress } from "./connection.ts";
import type { Host, Socket } from "./host.ts";
import { RuntimeApiError } from "./response.ts";

Deno.test("parseAddress() reads a host, a port and a path, and refuses every other form", () => {
  const cases = [
    ["127.0.0.1:9001", "127.0.0.1", 9001, ""],
    ["169.254.100.1:80", "169.254.100.1", 80, ""],
    ["runtime-api.local:65535", "runtime-api.local", 65535, ""],
    ["[::1]:9001", "::1", 9001, ""],
    ["127.0.0.1:9001/s3cret-_/x", "127.0.0.1", 9001, "/s3cret-_/x"],
  ] as const;
  for (const [text, hostname, port, path] of cases) {
    assertEquals(parseAddress(text), { hostname, port, path });
  }
  for (const text of ["127.0.0.1", ":9001", "a:1/", "http://a:1", "::1:9001", "a:123456"]) {
    assertThrows(() => parseAddress(text), TypeError, JSON.stringify(text));
  }
});

const ANSWER = new TextEncoder().encode("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
const REQUEST = "GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\nUser-Agent: mate-core\r\n\r\n";
const RESET = new Error("Connection reset by peer");

/** Makes a connection to a host that plays one script for each socket. A read after the end of a script never settles. */
function scripted(...scripts: { reads: (Uint8Array | Error | null)[]; write?: Promise<number> }[]) {
  const sent: number[] = [];
  const connect = () => {
    const { reads, write } = scripts[sent.length]!;
    const connection = sent.push(0) - 1;
    const socket: Socket = {
      async read(buffer) {
        if (reads.length === 0) return await new Promise(() => {});
        await new Promise((resolve) => setTimeout(resolve)); // no answer comes before the request
        const next = reads.shift()!;
        if (next instanceof Error) throw next;
        if (next !== null) buffer.set(next);
        return next && next.length;
      },
      write(bytes) {
        if (write) return write;
        const count = Math.ceil(bytes.length / 2); // a write sends half of the bytes
        sent[connection]! += count;
        return Promise.resolve(count);
      },
      close() {},
      ref() {},
      unref() {},
    };
    return Promise.resolve(socket);
  };
  return { connection: new Connection("127.0.0.1:1", { connect } as Partial<Host> as Host), sent };
}

Deno.test("exchange() sends a request again only if a used connection is lost before the answer", async () => {
  const begun = ANSWER.subarray(0, 20);
  const partial = new TextEncoder().encode("HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nab");
  const cases = [
    ["a reset", [ANSWER, RESET], 2],
    ["an end", [ANSWER, null], 2],
    ["a reset within the head", [ANSWER, begun, RESET], 1, "Connection reset"],
    ["a reset within the content", [ANSWER, partial, RESET], 1, "Connection reset"],
  ] as const;
  for (const [name, reads, connections, problem] of cases) {
    const { connection, sent } = scripted({ reads: [...reads] }, { reads: [ANSWER] });
    await connection.exchange("GET /");
    const again = connection.exchange("GET /");
    if (problem) await assertRejects(() => again, RuntimeApiError, problem, name);
    else assertEquals((await again).status, 202, name);
    assertEquals(sent, [2 * REQUEST.length, REQUEST.length].slice(0, connections), name);
  }
  for (const loss of [RESET, null]) {
    const { connection, sent } = scripted({ reads: [loss] }, { reads: [ANSWER] });
    await connection.open();
    const problem = "127.0.0.1:1 closed the connection before it answered";
    await assertRejects(() => connection.exchange("GET /"), RuntimeApiError, problem);
    assertEquals(sent.length, 1);
  }
});

Deno.test("exchange() does not try again after end()", async () => {
  const { connection, sent } = scripted({ reads: [ANSWER, null] }, { reads: [ANSWER] });
  await connection.exchange("GET /");
  const lost = connection.exchange("GET /");
  connection.end();
  await assertRejects(() => lost, RuntimeApiError);
  await assertRejects(() => connection.exchange("GET /"), RuntimeApiError, "was ended");
  assertEquals(sent.length, 1);
});

Deno.test("exchange() takes an answer to half a request, and closes the connection", async () => {
  const write = new Promise<number>(() => {});
  const { connection, sent } = scripted({ reads: [ANSWER], write }, { reads: [ANSWER] });
  for (let i = 0; i < 2; i++) assertEquals((await connection.exchange("GET /")).status, 202);
  assertEquals(sent, [0, REQUEST.length]);
});

Deno.test("stream() returns the answer even if a write fails", async () => {
  const { connection } = scripted({ reads: [ANSWER], write: Promise.reject(RESET) });
  assertEquals((await connection.stream("GET /", "", () => Promise.resolve(""))).status, 202);
});

Deno.test("stream() sends nothing after the answer, and closes the connection", async () => {
  const { connection, sent } = scripted({ reads: [ANSWER] }, { reads: [ANSWER] });
  let before = 0;
  await connection.stream("GET /", "", async (send, answered) => {
    before = sent[0]!;
    await answered;
    await send(ANSWER);
    return "";
  });
  await connection.exchange("GET /");
  assertEquals(sent, [before, REQUEST.length]);
});
