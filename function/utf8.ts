/** Made when it is needed first, because to make it takes as long as to decode a short text. */
let decoder: TextDecoder | undefined;

/** The text whose UTF-8 is exactly these bytes, if there is one. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
