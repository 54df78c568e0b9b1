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

/** Lets everybody run a program. A cache that is read-only, or belongs to another user, has it already. */
export async function makeExecutable(program: string): Promise<void> {
  const { mode } = await Deno.stat(program);
  if (mode === null || (mode & 0o777) !== 0o755) await Deno.chmod(program, 0o755);
}

/** How a file is downloaded. */
export interface DownloadOptions {
  /** What the file is, such as `@deno/linux-x64-glibc@2.9.5`. */
  readonly what: string;
  /** Its name for people, such as `Node.js 24`; by default what it is. */
  readonly title?: string | undefined;
  /** Takes a line about the progress; by default it goes to the standard error. */
  readonly tell?: ((line: string) => void) | undefined;
  /** The checksum in the form of npm, such as `sha512-` and the base64 of the hash. */
  readonly checksum: string;
  /** What to do if it fails; by default, to look at the connection and at the registry. */
  readonly remedy?: string | undefined;
  /** The time without a byte after which the download ends, in milliseconds; 30 s by default. */
  readonly patience?: number | undefined;
  /** Ends the download early. */
  readonly signal?: AbortSignal | undefined;
}

/** What to do if a registry fails. */
export const REGISTRY_REMEDY =
  "check the connection and the registry in NPM_CONFIG_REGISTRY, and try again";

/**
 * Downloads a file, and checks that it has the pinned checksum.
 *
 * @throws {Error} If the file cannot be downloaded, or is another file. The message says what it is, why, and what to do.
 */
export async function download(
  url: string,
  { what, checksum, remedy = REGISTRY_REMEDY, patience = 30_000, signal, ...telling }:
    DownloadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const { origin, pathname } = URL.parse(url) ?? { origin: "", pathname: url };
  const name = origin + pathname; // without the password of a registry
  const stalled = new AbortController();
  const late = new Error(`no byte came for ${patience / 1_000} s`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stalled.abort(late), patience);
  };
  using progress = new Progress(telling.title ?? what, telling.tell);
  try {
    wait();
    const ending = AbortSignal.any([stalled.signal, ...signal ? [signal] : []]);
    const response = await fetch(url, { signal: ending });
    const parts: Uint8Array<ArrayBuffer>[] = [];
    progress.begin(Number(response.headers.get("content-length")));
    for await (const part of response.body ?? []) {
      wait();
      progress.add(part.length);
      parts.push(part);
    }
    const bytes = await new Blob(parts).bytes();
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    if (await checksumOf(bytes, checksum) === checksum) return bytes;
    const type = response.headers.get("content-type")?.split(";")[0] || "an unknown type";
    throw new Error(
      `it is not the file that was expected, but ${Math.ceil(bytes.length / 1024)} kB of ${type} ` +
        "with another checksum",
    );
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Error(`Cannot download ${what} from "${name}": ${reasonOf(cause)}; ${remedy}`, {
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** The size from which a download is told, in bytes. A smaller one takes no time, unless the server is slow. */
const LARGE = 1024 * 1024;

/** Tells what is downloaded, so that nobody waits for something unknown: once, and on a terminal each quarter. */
export class Progress implements Disposable {
  readonly #title: string;
  readonly #tell: (line: string) => void;
  readonly #hasQuarters: boolean;
  readonly #timer: ReturnType<typeof setTimeout>;
  #size = 0;
  #received = 0;
  #isTold = false;

  constructor(title: string, tell?: (line: string) => void) {
    this.#title = title;
    this.#tell = tell ?? console.error;
    this.#hasQuarters = tell !== undefined || Deno.stderr.isTerminal();
    this.#timer = setTimeout(() => this.#begin(), 1_000); // A server that does not answer is told, too.
  }

  /** @param size The size in bytes; 0 if it is not known. */
  begin(size: number): void {
    this.#size = size;
    if (size >= LARGE) this.#begin();
  }

  add(length: number): void {
    const quarter = () => Math.floor(4 * this.#received / this.#size);
    const before = quarter();
    this.#received += length;
    if (!this.#isTold || !this.#hasQuarters || this.#size < LARGE) return;
    if (quarter() > before && quarter() < 4) this.#tell(`${this.#line}: ${25 * quarter()} %`);
  }

  get #line(): string {
    const size = this.#size < LARGE ? "" : ` (${Math.round(this.#size / LARGE)} MB)`;
    return `Fetching ${this.#title}${size}`;
  }

  #begin(): void {
    if (!this.#isTold) this.#tell(this.#line);
    this.#isTold = true;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** The URL of a package in the npm registry of the user. */
export function registryOf(path: string): string {
  const base = Deno.env.get("NPM_CONFIG_REGISTRY") || Deno.env.get("npm_config_registry") ||
    "https://registry.npmjs.org";
  return `${base.replace(/\/$/, "")}/${path}`;
}

/** Asks a registry why it does not give the description of a package. Returns `undefined` if it does. */
export async function reasonAt(
  url: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const limit = AbortSignal.timeout(30_000);
    const response = await fetch(url, {
      signal: AbortSignal.any([limit, ...signal ? [signal] : []]),
    });
    const text = await response.text();
    if (!response.ok) return `the server answers ${response.status}`;
    const type = response.headers.get("content-type")?.split(";")[0] || "an unknown type";
    return /^\s*\{/.test(text)
      ? undefined
      : `the answer is not the one that was expected, but ${
        Math.ceil(text.length / 1024)
      } kB of ${type}`;
  } catch (error) {
    signal?.throwIfAborted();
    return reasonOf(error);
  }
}

/** The first cause of an error of `fetch()`, without the URL: that may have a password. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  if (cause instanceof Error) return reasonOf(cause);
  if (/proxy authentication required/i.test(message)) {
    return "the proxy asks for a login, which HTTPS_PROXY can have: http://USER:PASSWORD@HOST:PORT";
  }
  return message.replace(/^.*?\burl \([^)]*\):? ?/, "") || "no answer";
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
