import { createHash } from "node:crypto";

/**
 * Returns the folder `mate` in the user's folder of caches. It keeps downloads and archives between runs.
 *
 * @throws {Error} If neither XDG_CACHE_HOME nor HOME is set.
 */
export function cacheFolder(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  const caches = Deno.env.get("XDG_CACHE_HOME") || (home && `${home}/.cache`);
  if (!caches) {
    throw new Error("Cannot choose a folder for downloads: set XDG_CACHE_HOME or HOME");
  }
  return `${caches}/mate`;
}

/** Returns the result, or `undefined` if the file does not exist. */
export async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Writes a file at once: no process sees a part of the file, even if several processes write it. */
export async function keep(file: string, data: Uint8Array): Promise<void> {
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  const part = `${file}.${crypto.randomUUID()}`;
  try {
    await Deno.writeFile(part, data);
    await Deno.rename(part, file);
  } catch (error) {
    await Deno.remove(part).catch(() => {}); // the first error matters
    throw error;
  }
}

/**
 * Downloads a file, and checks that it has the pinned checksum.
 *
 * @param checksum The checksum in the form of npm, such as `sha512-` and the base64 of the hash.
 * @param options The signal ends the download early. The remedy follows the reason in the error message.
 * @throws {Error} If the file cannot be downloaded, or has another checksum.
 */
export async function download(
  url: string,
  checksum: string,
  { signal, remedy = "" }: { signal?: AbortSignal | undefined; remedy?: string } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { origin, pathname } = URL.parse(url) ?? { origin: "", pathname: url };
  const name = origin + pathname; // without the password of a registry
  let bytes;
  try {
    const response = await fetch(url, { signal: signal ?? null });
    bytes = await response.bytes();
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`Cannot download "${name}": ${message}${remedy}`, { cause: error });
  }
  const got = await checksumOf(bytes, checksum);
  if (got === checksum) return bytes;
  throw new Error(`Cannot use "${name}": its checksum is "${got}", not the pinned "${checksum}"`);
}

/** Returns the checksum of bytes, by the algorithm of another checksum. */
export async function checksumOf(bytes: Uint8Array<ArrayBuffer>, other: string): Promise<string> {
  const algorithm = other.startsWith("sha512-") ? "SHA-512" : "SHA-256";
  const hash = new Uint8Array(await crypto.subtle.digest(algorithm, bytes));
  return `${algorithm.replace("-", "").toLowerCase()}-${hash.toBase64()}`;
}

/** Returns the SHA-256 checksum of a file. A large file is read in pieces, because memory for all of it takes longer than the hash. */
export async function checksumOfFile(path: string): Promise<string> {
  using file = await Deno.open(path);
  const hash = createHash("sha256");
  const piece = new Uint8Array(1024 * 1024);
  for (let size; (size = await file.read(piece)) !== null;) hash.update(piece.subarray(0, size));
  return `sha256-${hash.digest("base64")}`;
}
