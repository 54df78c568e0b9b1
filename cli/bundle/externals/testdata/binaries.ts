/** Makes the first bytes of a native library, and a text that follows. */
export function binary(kind: keyof typeof HEADERS, text = ""): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array([...HEADERS[kind], ...new TextEncoder().encode(text)]);
  return bytes;
}

function header(size: number, ...parts: readonly (readonly [at: number, ...bytes: number[]])[]) {
  const bytes = new Uint8Array(size);
  for (const [at, ...own] of parts) bytes.set(own, at);
  return bytes;
}

const ELF = [0, 0x7f, 0x45, 0x4c, 0x46, 2, 1] as const;

/** The headers of the file formats, as their specifications have them. */
const HEADERS = {
  "linux-x64": header(64, ELF, [18, 0x3e, 0]),
  "linux-arm64": header(64, ELF, [18, 0xb7, 0]),
  "linux-s390x": header(64, [0, 0x7f, 0x45, 0x4c, 0x46, 2, 2], [18, 0, 22]),
  "darwin-x64": header(64, [0, 0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1]),
  "darwin-arm64": header(64, [0, 0xcf, 0xfa, 0xed, 0xfe, 12, 0, 0, 1]),
  darwin: header(64, [0, 0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2]),
  java: header(64, [0, 0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52]),
  "win32-x64": header(256, [0, 0x4d, 0x5a], [0x3c, 128], [128, 0x50, 0x45, 0, 0, 0x64, 0x86]),
  "win32-arm64": header(256, [0, 0x4d, 0x5a], [0x3c, 128], [128, 0x50, 0x45, 0, 0, 0x64, 0xaa]),
};
