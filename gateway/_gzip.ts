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
