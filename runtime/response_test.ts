import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import type { Socket } from "./host.ts";
import { Reader } from "./reader.ts";
import { readResponse, type Response } from "./response.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** Makes a reader of a connection that sends a text in pieces. The sizes of the pieces repeat. */
function readerOf(text: string, sizes: readonly number[]): Reader {
  const bytes = ENCODER.encode(text);
  let start = 0;
  let turn = 0;
  const socket: Pick<Socket, "read"> = {
    read(buffer) {
      if (start === bytes.length) return Promise.resolve(null);
      const size = Math.min(sizes[turn++ % sizes.length]!, buffer.length);
      const piece = bytes.subarray(start, start + size);
      buffer.set(piece);
      start += piece.length;
      return Promise.resolve(piece.length);
    },
  };
  return new Reader(socket);
}

function show({ status, fields, content }: Response): unknown {
  return [status, Object.fromEntries(fields), DECODER.decode(content)];
}

Deno.test("readResponse() reads names in any case, and removes white space around values", async () => {
  const text = "HTTP/1.1 202 Accepted\r\nX-A:  1 2 \r\nCONTENT-LENGTH: 5\r\nEmpty:\r\n\r\nhello";
  assertEquals(show(await readResponse(readerOf(text, [999]))), [
    202,
    { "x-a": "1 2", "content-length": "5", empty: "" },
    "hello",
  ]);
  const bare = await readResponse(readerOf("HTTP/1.1 204 No Content\r\nX: 1\r\n\r\n", [999]));
  assertEquals(show(bare), [204, { x: "1" }, ""]);
});

Deno.test("readResponse() reads the same response however the bytes are split", async () => {
  const property = fc.asyncProperty(
    fc.integer({ min: 200, max: 599 }),
    fc.record({
      text: fc.string({ unit: fc.constantFrom("a", "é", "\r", "\n", ":", " "), maxLength: 40 }),
      // Long heads and contents fill the buffer of 16 KiB in the middle of a field or a chunk.
      times: fc.constantFrom(1, 9, 400, 1_200),
    }).map(({ text, times }) => text.repeat(times)),
    fc.constantFrom(0, 16_000, 16_300, 16_384, 40_000, 65_000),
    fc.option(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 5 })),
    fc.constantFrom("", "X-Trailer: 1\r\n"),
    fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 8 }),
    async (status, content, padding, chunks, trailer, sizes) => {
      const value = Array.from({ length: padding }, (_, i) => i % 10).join("");
      const bytes = ENCODER.encode(content);
      let body = content;
      let framing = `content-length: ${bytes.length}`;
      if (chunks) {
        framing = "transfer-encoding: chunked";
        const parts: string[] = [];
        for (let start = 0, i = 0; start < content.length; i++) {
          const part = content.slice(start, start + chunks[i % chunks.length]!);
          start += part.length;
          parts.push(`${ENCODER.encode(part).length.toString(16)}\r\n${part}\r\n`);
        }
        body = `${parts.join("")}0\r\n${trailer}\r\n`;
      }
      const text = `HTTP/1.1 ${status} X\r\nX-Value: ${value}\r\n${framing}\r\n\r\n${body}`;
      const response = await readResponse(readerOf(text, sizes));
      assertEquals(response.status, status);
      assertEquals(response.fields.get("x-value"), value);
      assertEquals(DECODER.decode(response.content), content);
    },
  );
  await fc.assert(property, { numRuns: 50 });
});

Deno.test("readResponse() reads up to the end of each response, and no further", async () => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const text = `${head}3\r\na\r\n\r\n2\r\nbc\r\n0\r\nX-Trailer: 1\r\n\r\n`;
  const reader = readerOf(text + text, [1]);
  for (let i = 0; i < 2; i++) {
    assertEquals(DECODER.decode((await readResponse(reader)).content), "a\r\nbc");
  }
});

Deno.test("readResponse() passes over interim responses (RFC 9110 section 15.2)", async () => {
  const interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const text = `${interim}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`;
  const reader = readerOf(text + text, [3]);
  for (let i = 0; i < 2; i++) {
    assertEquals(show(await readResponse(reader)), [200, { "content-length": "2" }, "ok"]);
  }
});

Deno.test("readResponse() refuses a malformed or truncated response", async () => {
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const cases = [
    ["", "the connection ended"],
    [`HTTP/1.1 200 OK\r\n${"x".repeat(65_520)}\r\n\r\n`, "the head is longer than 65536 bytes"],
    ["x".repeat(70_000), "the head is longer than 65536 bytes"],
    ["HTTP/1.1 200 OK\r\nX: 1", "the connection ended"],
    ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "the connection ended"],
    [`${chunked}9\r\nabc`, "the connection ended"],
    [`${chunked}3\r\nabc\r\n`, "the connection ended"],
    [`${chunked}xyz\r\nabc\r\n`, 'malformed chunk size "xyz"'],
    [`${chunked}-3\r\nabc\r\n`, 'malformed chunk size "-3"'],
    [`${chunked}0x3\r\nabc\r\n`, 'malformed chunk size "0x3"'],
    ...["+3", "0x3", "-3", "3, 3", "3.0", ""].map((length) =>
      [
        `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\nabc`,
        `malformed Content-Length "${length}"`,
      ] as const
    ),
    ["ICY 200 OK\r\n\r\n", 'malformed status line "ICY 200 OK"'],
    ["HTTP/1.1 20 OK\r\n\r\n", 'malformed status line "HTTP/1.1 20 OK"'],
  ] as const;
  for (const [text, message] of cases) {
    await assertRejects(() => readResponse(readerOf(text, [7])), Error, message, text);
  }
});

Deno.test("readResponse() ends with a response or an error, whatever the bytes", async () => {
  const valid = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: 1\r\n\r\n{}";
  const parts = ["\r\n", "\0", "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n"]
    .concat("99999999999", "x".repeat(70_000));
  const change = fc.record({
    at: fc.nat(valid.length),
    length: fc.nat(12),
    part: fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...parts)),
  });
  const property = fc.asyncProperty(
    fc.array(change, { maxLength: 4 }),
    fc.integer({ min: 100, max: 4_000 }),
    async (changes, size) => {
      let text = valid;
      for (const { at, length, part } of changes) {
        text = text.slice(0, at) + part + text.slice(at + length);
      }
      const ended = await readResponse(readerOf(text, [size])).catch((error) => error);
      if (!(ended instanceof Error)) assertEquals(typeof ended.status, "number", String(ended));
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
