import { toBytes } from "./content_body.ts";
import { collect } from "./stream_body.ts";

/** The functions of `node:zlib` that are used; the types of `node:zlib` would count as an import. */
type Zlib = Record<string, ((...given: unknown[]) => unknown) | undefined>;

let zlib: Zlib | undefined;

/** The content codings that a response can have. */
export type Coding = "gzip" | "br" | "zstd";

/** A content coding, and the functions of `node:zlib` that make it. */
export interface Codec {
  /** The name of the coding. */
  readonly coding: Coding;
  /** The function for whole contents. */
  readonly whole: string;
  /** The function for streams. */
  readonly stream: string;
  /** The options of both. `flush` makes a stream give out every chunk at once. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** How a content is compressed. */
export interface Compression {
  /** The least number of bytes that is compressed. */
  readonly from: number;
  /** The codings to choose from, the best first. */
  readonly codecs: readonly Codec[];
}

/** Gzip at level 5 takes two thirds of the time of the default, for up to 8 % more bytes. */
export const GZIP: Codec = {
  coding: "gzip",
  whole: "gzipSync",
  stream: "createGzip",
  options: { level: 5, flush: 2 },
};

/**
 * The codings. Brotli's default takes hundreds of times longer than gzip; quality 4 is about as fast. `flush` makes a
 * stream give out every chunk at once.
 */
export const CODECS: Readonly<Record<Coding, Codec>> = {
  gzip: GZIP,
  br: {
    coding: "br",
    whole: "brotliCompressSync",
    stream: "createBrotliCompress",
    options: { params: { 1: 4 }, flush: 1 },
  },
  zstd: {
    coding: "zstd",
    whole: "zstdCompressSync",
    stream: "createZstdCompress",
    options: { flush: 1 },
  },
};

/**
 * Finds a function of `node:zlib`, which is loaded when it is first needed, because loading takes most of a cold start on
 * Deno.
 *
 * @throws {Error} If the runtime cannot load a module synchronously.
 */
export function findMethod(name: string): ((...given: unknown[]) => unknown) | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): Zlib } };
  zlib ??= process?.getBuiltinModule?.("node:zlib");
  if (zlib) return zlib[name];
  throw new Error("Cannot load node:zlib: expected Node.js 20.16, 22.3 or Deno 2.1, or later");
}

/** Compresses a content, synchronously. */
export function encode(content: string | Uint8Array, { whole, options }: Codec): Uint8Array {
  return findMethod(whole)!(content, options) as Uint8Array;
}

/** After this many characters or bytes, the speed of `node:zlib` is worth its load. Most sandboxes end before. */
const MAX_STREAMED = 4_000_000;

let streamed = 0;

/**
 * Compresses a content in the way that costs a cold start the least: on Deno, `CompressionStream` is there before
 * `node:zlib` is loaded.
 */
export function encodeSoon(
  content: string | Uint8Array,
  codec: Codec,
): Uint8Array | Promise<Uint8Array> {
  if (codec !== GZIP || zlib || streamed >= MAX_STREAMED || !("Deno" in globalThis)) {
    return encode(content, codec);
  }
  streamed += content.length;
  const { readable, writable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  // A failure of the writer fails the reader too.
  writer.write(toBytes(content) as BufferSource).then(() => writer.close()).catch(() => {});
  // `new Response(readable)` would load the classes of `fetch()`.
  return collect(readable);
}
