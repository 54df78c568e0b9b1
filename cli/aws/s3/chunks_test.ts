import { assertEquals, assertRejects } from "@std/assert";
import * as fc from "fast-check";
import { readChunks } from "./chunks.ts";
import { S3Error } from "../service_call.ts";

/** Reads a body that arrives in pieces. Returns the content and the trailers. */
async function read(...pieces: string[]) {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(pieces.map((piece) => encoder.encode(piece)));
  const trailers = new Map<string, string>();
  let content = "";
  for await (const chunk of readChunks(body, trailers)) content += new TextDecoder().decode(chunk);
  return [content, Object.fromEntries(trailers)];
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html */
const BODY = "5;chunk-signature=ab\r\nHello\r\nB\r\n, chunks\r\n!\r\n0\r\n" +
  "x-amz-checksum-crc32: AAAAAA==\r\nX-Amz-Trailer-Signature:cd\r\n\r\n";

Deno.test("readChunks() removes the frames, wherever a piece of the body ends", async () => {
  const expected = ["Hello, chunks\r\n!", {
    "x-amz-checksum-crc32": "AAAAAA==",
    "x-amz-trailer-signature": "cd",
  }];
  await fc.assert(fc.asyncProperty(
    fc.array(fc.nat(BODY.length)).map((cuts) => [0, ...cuts.sort((a, b) => a - b), BODY.length]),
    async (cuts) => {
      const pieces = cuts.slice(1).map((cut, index) => BODY.slice(cuts[index], cut));
      assertEquals(await read(...pieces), expected);
    },
  ));
});

Deno.test("readChunks() refuses a body that is not aws-chunked", async () => {
  const cases = [
    ["Hello\r\n", "a chunk has no length"],
    ["-1\r\nHello", "a chunk has no length"],
    ["5\nHello\r\n0\r\n\r\n", "a chunk has no length"],
    ["123456789\r\n", "a chunk has no length"],
    ["5".repeat(5_000), "the head of a chunk is too long"],
    [`0\r\n${"a: b\r\n".repeat(1_000)}`, "the trailer is too long"],
    ["5\r\nHelloXX0\r\n\r\n", "a chunk is longer than its head says"],
    ["", "terminated unexpectedly"],
    ["5\r\nHel", "terminated unexpectedly"],
    ["5\r\nHello", "terminated unexpectedly"],
    ["5\r\nHello\r\n", "terminated unexpectedly"],
  ] as const;
  for (const [body, problem] of cases) {
    await assertRejects(() => read(body, ""), S3Error, problem, body.slice(0, 20));
  }
});
