/**
 * Takes a file out of a zip whose entries are deflated and that has no comment. No package does this, because it happens
 * beside the keys of a cloud, before the permissions of the process are limited.
 *
 * @throws {Error} If the zip does not contain the file.
 */
export async function unzip(zip: Uint8Array<ArrayBuffer>, name: string): Promise<Uint8Array> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const directoryEnd = zip.length - 22; // the record that ends the zip
  for (let at = view.getUint32(directoryEnd + 16, true); at < directoryEnd;) {
    const [nameSize, extraSize, commentSize] = [28, 30, 32]
      .map((offset) => view.getUint16(at + offset, true)) as [number, number, number];
    const end = at + 46 + nameSize;
    if (new TextDecoder().decode(zip.subarray(at + 46, end)) === name) {
      const size = view.getUint32(at + 20, true);
      const header = view.getUint32(at + 42, true);
      const start = header + 30 + view.getUint16(header + 26, true) +
        view.getUint16(header + 28, true);
      const content = new Blob([zip.subarray(start, start + size)]).stream();
      return await new Response(content.pipeThrough(new DecompressionStream("deflate-raw")))
        .bytes();
    }
    at = end + extraSize + commentSize;
  }
  throw new Error(`Cannot unzip "${name}": the zip does not contain it`);
}
