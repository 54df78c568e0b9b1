import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Connection } from "./connection.ts";
import type { Host, Socket } from "./host.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";

const ADDRESS = { hostname: "127.0.0.1", port: 1, authority: "127.0.0.1:1" };
const ANSWER = new TextEncoder().encode("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
const REQUEST = new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n");

/** A host whose connections do what the scripts say, one script each; a read or write beyond its script hangs. */
function scripted(
  ...scripts: { reads?: (Uint8Array | Error | null)[]; writes?: (Error | "ok")[] }[]
): { host: Host; opened: () => number } {
  let opened = 0;
  const host = {
    connect: () => {
      const { reads = [], writes = [] } = scripts[opened++]!;
      const socket: Socket = {
        async read(buffer) {
          if (reads.length === 0) return new Promise(() => {});
          await new Promise((resolve) => setTimeout(resolve)); // nothing comes before the request
          const next = reads.shift()!;
          if (next instanceof Error) throw next;
          if (next !== null) buffer.set(next);
          return next && next.length;
        },
        write(bytes) {
          const next = writes.length > 0 ? writes.shift() : "ok";
          return next instanceof Error ? Promise.reject(next) : Promise.resolve(
            Math.ceil(bytes.length / 2), // never all at once
          );
        },
        close() {},
        ref() {},
        unref() {},
      };
      return Promise.resolve(socket);
    },
  } as Partial<Host> as Host;
  return { host, opened: () => opened };
}

const RESET = new Error("Connection reset by peer");

for (
  const [name, script] of [
    ["its write fails", { reads: [ANSWER], writes: ["ok", "ok", "ok", "ok", "ok", RESET] }],
    ["its read fails", { reads: [ANSWER, RESET] }],
    ["it has ended", { reads: [ANSWER, null] }],
  ] as const
) {
  Deno.test(`exchange() tries again, once, on a used connection of which ${name}`, async () => {
    const copy = {
      reads: [...script.reads],
      writes: ["writes" in script ? script.writes : []].flat(),
    };
    const { host, opened } = scripted(copy, { reads: [ANSWER] });
    const connection = new Connection(ADDRESS, host);
    await connection.exchange(REQUEST);
    assertEquals((await connection.exchange(REQUEST)).head.status, 202);
    assertEquals(opened(), 2);
  });
}

for (const [name, fault] of [["fails", RESET], ["ends", null]] as const) {
  Deno.test(`exchange() does not try again on a new connection that ${name}`, async () => {
    const { host, opened } = scripted({ reads: [fault] });
    const connection = new Connection(ADDRESS, host);
    const error = await assertRejects(() => connection.exchange(REQUEST), RuntimeApiError);
    assertStringIncludes(error.message, "closed the connection before it answered");
    assertEquals([opened(), error.cause ?? null], [1, fault]);
  });
}

Deno.test("exchange() does not try again once part of the answer has come", async () => {
  for (
    const part of [
      ANSWER.subarray(0, 20),
      new TextEncoder().encode("HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nab"),
    ]
  ) {
    const { host, opened } = scripted({ reads: [ANSWER, part, RESET] });
    const connection = new Connection(ADDRESS, host);
    await connection.exchange(REQUEST);
    const error = await assertRejects(() => connection.exchange(REQUEST), RuntimeApiError);
    assertEquals([error.cause, opened()], [RESET, 1]);
  }
});

Deno.test("exchange() uses no connection again over which more came than was asked for", async () => {
  const { host, opened } = scripted(
    { reads: [new TextEncoder().encode("HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\nextra")] },
    { reads: [ANSWER] },
  );
  const connection = new Connection(ADDRESS, host);
  await connection.exchange(REQUEST);
  await connection.exchange(REQUEST);
  assertEquals(opened(), 2);
});

Deno.test("stream() reads what was answered although writing fails", async () => {
  const { host } = scripted({ reads: [ANSWER], writes: Array(20).fill(RESET) });
  const connection = new Connection(ADDRESS, host);
  const { head } = await connection.stream(REQUEST, () => Promise.resolve());
  assertEquals(head.status, 202);
});

Deno.test("stream() refuses to write once it is answered", async () => {
  const { host } = scripted({ reads: [ANSWER] });
  const connection = new Connection(ADDRESS, host);
  let refused: unknown;
  const { head } = await connection.stream(REQUEST, async (write, answered) => {
    await answered;
    await write(REQUEST).catch((error) => {
      refused = error;
      throw error;
    });
  });
  assertEquals(head.status, 202);
  assertStringIncludes(String(refused), "The response came before the end of the request");
});

Deno.test("stream() closes the connection where the source of the bytes fails", async () => {
  const { host, opened } = scripted({}, { reads: [ANSWER] });
  const connection = new Connection(ADDRESS, host);
  const fault = new Error("in the source");
  const error = await assertRejects(() => connection.stream(REQUEST, () => Promise.reject(fault)));
  assertEquals(error, fault);
  await connection.exchange(REQUEST);
  assertEquals(opened(), 2);
});
