import { loadModule } from "../../function/base64.ts";
import { toBytes } from "./content_body.ts";
import { collect } from "./stream_body.ts";

/** The functions of `node:zlib` that are used; the types of `node:zlib` would count as an import. */
type Zlib = Record<string, ((...given: unknown[]) => unknown) | undefined>;

/** The part of a stream of `node:zlib` that is used. */
interface Compressor extends AsyncIterable<Uint8Array> {
  write(chunk: Uint8Array, done: () => void): void;
  read(): Uint8Array | null;
  end(): void;
  destroy(): void;
}

let zlib: Zlib | undefined;

/** The content codings that a response can have. */
export type Coding = "gzip" | "br" | "zstd";

/**
 * The functions for whole contents and for streams, and their options. Gzip at level 5 takes two thirds of the time of
 * the default, for up to 8 % more bytes. Brotli's default takes hundreds of times longer than gzip; quality 4 is about
 * as fast. `flush` makes a stream give out every chunk at once.
 */
const METHODS = {
  gzip: ["gzipSync", "createGzip", { level: 5, flush: 2 }],
  br: ["brotliCompressSync", "createBrotliCompress", { params: { 1: 4 }, flush: 1 }],
  zstd: ["zstdCompressSync", "createZstdCompress", { flush: 1 }],
} as const;

function callZlib(coding: Coding, kind: 0 | 1, ...content: unknown[]): unknown {
  zlib ??= loadModule<Zlib>("node:zlib");
  const { [kind]: name, 2: options } = METHODS[coding];
  const method = zlib[name];
  // A stream has room for all that comes of one chunk.
  if (method) return method(...content, { ...options, readableHighWaterMark: 2 ** 30 });
  throw new Error(`Cannot compress with ${coding}: expected Node.js 22.15, Deno 2.6 or later`);
}

/**
 * Compresses a content, synchronously.
 *
 * @throws {Error} If the runtime has no synchronous way to load `node:zlib`, or does not know the coding.
 */
export function compress(content: string | Uint8Array, coding: Coding): Uint8Array {
  return callZlib(coding, 0, content) as Uint8Array;
}

/** Makes a function that compresses a content that is streamed. Every chunk is given out at once. Throws as `compress()`. */
export function streamCompressor(
  coding: Coding,
): (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  const compressor = callZlib(coding, 1) as Compressor;
  return async function* (chunks) {
    try {
      for await (const chunk of chunks) {
        await new Promise<void>((done) => compressor.write(chunk, done));
        for (let part; (part = compressor.read());) yield part;
      }
      compressor.end();
      yield* compressor;
    } finally {
      compressor.destroy();
    }
  };
}

/** After this many characters or bytes, the speed of `node:zlib` is worth its load. Most sandboxes end before. */
const MAX_STREAMED = 4_000_000;

let streamed = 0;

/**
 * Compresses a content in the way that costs a cold start the least: on Deno, `CompressionStream` is there before
 * `node:zlib` is loaded.
 */
export function compressSoon(
  content: string | Uint8Array,
  coding: Coding,
): Uint8Array | Promise<Uint8Array> {
  if (coding !== "gzip" || zlib || streamed >= MAX_STREAMED || !("Deno" in globalThis)) {
    return compress(content, coding);
  }
  streamed += content.length;
  const { readable, writable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  // A failure of the writer fails the reader too.
  writer.write(toBytes(content) as BufferSource).then(() => writer.close()).catch(() => {});
  // `new Response(readable)` would load the classes of `fetch()`.
  return collect(readable);
}
