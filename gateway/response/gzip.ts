/** The little of `node:zlib` that is used; its types would count as an import. */
interface Zlib {
  gzipSync(bytes: Uint8Array): Uint8Array;
}

/** What the runtime says about itself. */
interface Process {
  getBuiltinModule?(name: "node:zlib"): Zlib;
}

let zlib: Zlib | undefined;

/**
 * Compresses bytes, at once and in one go.
 *
 * @param bytes The bytes.
 * @returns The gzip file (RFC 1952).
 * @throws {Error} If the runtime lets no module be loaded synchronously.
 */
export function gzip(bytes: Uint8Array): Uint8Array {
  // Loaded on first use: most of a cold start's cost where it is loaded, none where it is not.
  zlib ??= loadZlib((globalThis as { process?: Process }).process);
  return zlib.gzipSync(bytes);
}

/** After so many the module is worth its load: what is left of them takes a little less with it. */
const MAX_STREAMED = 1000;

let streamed = 0;

/**
 * Whether `gzipStream()` is done sooner than `gzip()`: on Deno, where loading `node:zlib` takes longer than all
 * else of a cold start, for the first thousand responses, most of which a sandbox never lives to see.
 */
export function isStreamSooner(): boolean {
  return zlib === undefined && streamed < MAX_STREAMED && "Deno" in globalThis;
}

/**
 * Compresses bytes, in turns of the event loop.
 *
 * @param bytes The bytes.
 * @returns The gzip file (RFC 1952).
 */
export async function gzipStream(bytes: Uint8Array): Promise<Uint8Array> {
  streamed++;
  const { readable, writable } = new CompressionStream("gzip");
  const [file] = await Promise.all([readAll(readable), write(writable, bytes)]);
  return file;
}

async function write(writable: WritableStream, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(bytes);
  await writer.close();
}

/** Faster than `new Response(readable)`, whose classes would have to be loaded. */
async function readAll(readable: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = readable.getReader();
  let bytes = new Uint8Array();
  for (let part; !(part = await reader.read()).done;) bytes = concatenate(bytes, part.value);
  return bytes;
}

function concatenate(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(start.length + end.length);
  bytes.set(start);
  bytes.set(end, start.length);
  return bytes;
}

/**
 * Loads `node:zlib`.
 *
 * @param process The runtime's `process`.
 * @throws {Error} If it cannot load a module synchronously.
 */
export function loadZlib(process: Process | undefined): Zlib {
  if (process?.getBuiltinModule === undefined) {
    throw new Error(
      "Cannot compress the body: process.getBuiltinModule() is missing, which Node.js has from 20.16 and 22.3",
    );
  }
  return process.getBuiltinModule("node:zlib");
}
