import { Buffer } from "node:buffer";

/** The system that a program or a native library was built for. */
export interface BinarySystem {
  readonly os: "linux" | "darwin" | "win32";
  /** The processor, or `other`. A file for several has none. */
  readonly cpu?: "x64" | "arm64" | "other" | undefined;
}

/** The number of processors that a universal file of macOS has at most. A class of Java begins alike, with a larger number. */
const MOST_PROCESSORS = 30;

/** Tells which system a file was built for. Returns `undefined` for other files than programs and native libraries. */
export function systemOf(bytes: Uint8Array): BinarySystem | undefined {
  if (bytes.length < 64) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = view.getUint32(0);
  if (first === 0x7f454c46) { // ELF
    const isLittle = view.getUint8(5) === 1;
    return { os: "linux", cpu: processorOf(view.getUint16(18, isLittle), 0x3e, 0xb7) };
  }
  if (first === 0xcffaedfe) { // Mach-O
    return { os: "darwin", cpu: processorOf(view.getUint32(4, true), 0x01000007, 0x0100000c) };
  }
  if (first === 0xcafebabe && view.getUint32(4) < MOST_PROCESSORS) return { os: "darwin" };
  if (first >>> 16 !== 0x4d5a) return undefined;
  const header = view.getUint32(0x3c, true);
  if (header + 6 > bytes.length || view.getUint32(header) !== 0x50450000) return undefined;
  return { os: "win32", cpu: processorOf(view.getUint16(header + 4, true), 0x8664, 0xaa64) };
}

function processorOf(value: number, x64: number, arm64: number): "x64" | "arm64" | "other" {
  return value === x64 ? "x64" : value === arm64 ? "arm64" : "other";
}

/**
 * Tells for which version of Node.js's binary interface an add-on was built: those with Node-API are for `any`. Returns
 * `undefined` if the file does not tell, such as a shared library that an add-on needs.
 */
export function abiOf(bytes: Uint8Array): number | "any" | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.includes("napi_register_module_v")) return "any";
  const at = buffer.indexOf(REGISTER);
  const [version] = at < 0
    ? []
    : /^\d+/.exec(buffer.toString("latin1", at + REGISTER.length, at + 99)) ?? [];
  return version === undefined ? undefined : Number(version);
}

/** The symbol that Node.js looks for, without its version. */
const REGISTER = "node_register_module_v";
