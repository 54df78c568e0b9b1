import { toBytes } from "./content_body.ts";

/** The functions of `node:zlib` that are used; the types of `node:zlib` would count as an import. */
interface Zlib {
  gzipSync(content: string | Uint8Array): Uint8Array;
  brotliCompressSync(
    content: string | Uint8Array,
    options: { params: Record<number, number> },
  ): Uint8Array;
  zstdCompressSync?(content: string | Uint8Array): Uint8Array;
}

/** The part of `process` that loads a module. */
interface Process {
  getBuiltinModule?(name: "node:zlib"): Zlib;
}

let zlib: Zlib | undefined;

/** The content codings that a response can have. */
export type Coding = "gzip" | "br" | "zstd";

// Brotli's best quality, the default, takes hundreds of times longer than gzip; this one is about as fast.
const BROTLI = { params: { 1: 4 } };

/**
 * Compresses a content, synchronously.
 *
 * @throws {Error} If the runtime has no synchronous way to load `node:zlib`, or does not know the coding.
 */
export function compress(content: string | Uint8Array, coding: Coding): Uint8Array {
  // Loaded on first use, because loading takes most of a cold start on Deno.
  zlib ??= loadZlib((globalThis as { process?: Process }).process);
  if (coding === "gzip") return zlib.gzipSync(content);
  if (coding === "br") return zlib.brotliCompressSync(content, BROTLI);
  if (zlib.zstdCompressSync) return zlib.zstdCompressSync(content);
  throw new Error("Cannot compress with zstd: expected Node.js 22.15, Deno 2.6 or later");
}

/** After this many responses, the speed of `node:zlib` is worth its load. Most sandboxes end before. */
const MAX_STREAMED = 1000;

let streamed = 0;

/**
 * Compresses a content in the way that costs a cold start the least: on Deno, `CompressionStream` is there before
 * `node:zlib` is loaded.
 */
export function compressSoon(
  content: string | Uint8Array,
  coding: Coding,
): Uint8Array | Promise<Uint8Array> {
  if (coding !== "gzip" || zlib || streamed++ >= MAX_STREAMED || !("Deno" in globalThis)) {
    return compress(content, coding);
  }
  const { readable, writable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  // A failure of the writer fails the reader too.
  writer.write(toBytes(content) as BufferSource).then(() => writer.close()).catch(() => {});
  return readAll(readable);
}

/** Reads a stream. `new Response(stream)` would load the classes of `fetch()`. */
async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
  }
  const bytes = new Uint8Array(length);
  for (const chunk of chunks.reverse()) bytes.set(chunk, length -= chunk.length);
  return bytes;
}

/** Loads `node:zlib`. */
export function loadZlib(process: Process | undefined): Zlib {
  if (process?.getBuiltinModule) return process.getBuiltinModule("node:zlib");
  throw new Error(
    "Cannot compress the body: process.getBuiltinModule() is missing, which Node.js has from 20.16 and 22.3",
  );
}
