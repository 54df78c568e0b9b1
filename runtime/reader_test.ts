import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import type { Socket } from "./host.ts";
import { ResponseReader } from "./reader.ts";
import { RuntimeApiError } from "./runtime_api_error.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** A socket that brings bytes in pieces of the given sizes, over and over. */
function socketOf(bytes: Uint8Array, sizes: readonly number[]): Socket {
  let start = 0;
  let turn = 0;
  return {
    read(buffer) {
      if (start === bytes.length) return Promise.resolve(null);
      const size = Math.min(sizes[turn++ % sizes.length]!, buffer.length);
      const piece = bytes.subarray(start, start + size);
      buffer.set(piece);
      start += piece.length;
      return Promise.resolve(piece.length);
    },
    write: () => Promise.reject(new Error("Nothing is written here")),
    close() {},
    ref() {},
    unref() {},
  };
}

async function readAll(bytes: Uint8Array, sizes: readonly number[]): Promise<unknown[]> {
  const reader = new ResponseReader(socketOf(bytes, sizes));
  const responses: unknown[] = [];
  for (;;) {
    const head = await reader.readHead();
    if (head === undefined) return responses;
    const content = DECODER.decode(await reader.readContent(head));
    responses.push([head.status, [...head.fields], content]);
  }
}

const RESPONSE = fc.record({
  status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
  interim: fc.boolean(),
  value: fc.stringMatching(/^[!-~éü]{0,40}$/),
  content: fc.string({ unit: "binary", maxLength: 400 }),
  chunks: fc.option(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 })),
  extension: fc.constantFrom("", ";a=b", " ; x"),
  trailer: fc.constantFrom("", "X-T: 1\r\n"),
});

Deno.test("ResponseReader reads the same however the bytes are split", async () => {
  const property = fc.asyncProperty(
    fc.array(RESPONSE, { minLength: 1, maxLength: 4 }),
    fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 }),
    async (responses, sizes) => {
      const parts: Uint8Array[] = [];
      const expected: unknown[] = [];
      for (const { status, interim, value, content, chunks, extension, trailer } of responses) {
        if (interim) parts.push(ENCODER.encode("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"));
        const bytes = ENCODER.encode(content);
        const framing: [string, string] = chunks
          ? ["transfer-encoding", "chunked"]
          : ["content-length", String(bytes.length)];
        const head = `HTTP/1.1 ${status} X\r\nX-Value: ${value}\r\n${framing.join(": ")}\r\n\r\n`;
        parts.push(ENCODER.encode(head));
        if (chunks) {
          for (let start = 0, i = 0; start < bytes.length; i++) {
            const chunk = bytes.subarray(start, start + chunks[i % chunks.length]!);
            start += chunk.length;
            parts.push(ENCODER.encode(`${chunk.length.toString(16)}${extension}\r\n`), chunk);
            parts.push(ENCODER.encode("\r\n"));
          }
          parts.push(ENCODER.encode(`0\r\n${trailer}\r\n`));
        } else {
          parts.push(bytes);
        }
        expected.push([status, [["x-value", value], framing], DECODER.decode(bytes)]);
      }
      const whole = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
      assertEquals(await readAll(whole, sizes), expected);
      assertEquals(await readAll(whole, [whole.length]), expected);
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

Deno.test("ResponseReader reads content that ends with the connection", async () => {
  const bytes = ENCODER.encode("HTTP/1.1 200 OK\r\nX: 1\r\n\r\nall of it");
  assertEquals(await readAll(bytes, [7]), [[200, [["x", "1"]], "all of it"]]);
});

Deno.test("ResponseReader grows with a long content of chunks", async () => {
  const chunk = "1000\r\n" + "x".repeat(4096) + "\r\n";
  const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(700)}0\r\n\r\n`;
  const reader = new ResponseReader(socketOf(ENCODER.encode(text), [5_000, 1]));
  const content = await reader.readContent((await reader.readHead())!);
  assertEquals(content.length, 700 * 4096);
});

for (
  const [name, text] of [
    ["a head without end", "HTTP/1.1 200 OK\r\nX: 1"],
    ["a short content", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"],
    ["a short chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc"],
    ["no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"],
    ["a chunk size of letters", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"],
    ["a negative chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n"],
    ["chunks too long", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n"],
    [
      "a chunk of another size",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    ],
    ["a line feed alone", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\nabc"],
    ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["a head too long", `HTTP/1.1 200 OK\r\n${"X: 1\r\n".repeat(20_000)}\r\n`],
    ["a line too long", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${"0".repeat(1e5)}`],
    [
      "trailers too long",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${"X: 1\r\n".repeat(20_000)}`,
    ],
  ] as const
) {
  Deno.test(`ResponseReader refuses ${name}`, async () => {
    await assertRejects(() => readAll(ENCODER.encode(text), [997]), RuntimeApiError);
  });
}
