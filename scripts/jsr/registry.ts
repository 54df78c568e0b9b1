/**
 * A registry that speaks as JSR does: it serves packages, and it takes those that `deno publish` uploads. As a program, it
 * serves a folder of packages and prints its URL: `deno run -A scripts/jsr/registry.ts FOLDER`.
 *
 * The API is that of https://jsr.io/docs/api and of `deno publish`.
 *
 * @module
 */
import { parseTarGzip } from "nanotar";
import { dirname, join, normalize } from "node:path/posix";
import { serve } from "../../cli/testdata/bundle.ts";

const VERSION_META = ".version_meta.json";

/** The exports that packages without {@linkcode VERSION_META} have beside their files. */
const EXPORTS = ".exports.json";

const TYPES: Readonly<Record<string, string>> = {
  ts: "text/typescript",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  wasm: "application/wasm",
};

/** The size and the checksum of each file of a package, by its path, such as `/mod.ts`. */
type Manifest = Readonly<Record<string, { size: number; checksum: string }>>;

/** A registry on the loopback interface. */
export class Registry implements AsyncDisposable {
  readonly #folder: string;
  readonly #upstream: string | undefined;
  readonly #server = serve((request) => this.#answer(request));
  /** The ids of the publishing tasks. Each is done at once, because `deno publish` has checked the package. */
  readonly #tasks = new Set<string>();

  /**
   * Serves the packages of a folder, as `@scope/name/version/`. Published packages are added to the folder.
   *
   * @param upstream The registry that has the packages that are not in the folder.
   */
  constructor(folder: string, upstream?: string) {
    this.#folder = folder;
    this.#upstream = upstream;
  }

  get url(): string {
    return `${this.#server.url}/`;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const path = decodeURIComponent(pathname);
    if (normalize(path) !== path) return notFound();
    try {
      const api = /^\/api\/scopes\/([^/]+)\/packages\/([^/]+)(?:\/versions\/([^/]+))?$/.exec(path);
      if (api) {
        const [, scope, name, version] = api;
        const target = `@${scope}/${name}${version === undefined ? "" : `/${version}`}`;
        if (request.method === "POST") return await this.#publish(target, request);
        // Every package may be published, so every package exists. A version exists if it was published.
        if (version !== undefined) await Deno.stat(join(this.#folder, target));
        return Response.json({ scope, name, version });
      }
      const task = /^\/api\/publish_status\/([^/]+)$/.exec(path)?.[1];
      if (task !== undefined && this.#tasks.has(task)) {
        return Response.json({ id: task, status: "success", error: null });
      }
      return await this.#serve(path, pathname);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return notFound();
      throw error;
    }
  }

  async #publish(target: string, request: Request): Promise<Response> {
    if (!request.headers.get("authorization")?.startsWith("Bearer ")) {
      return Response.json({ code: "unauthorized", message: "No token" }, { status: 401 });
    }
    const id = crypto.randomUUID();
    const config = new URL(request.url).searchParams.get("config") ?? "";
    const folder = join(this.#folder, target);
    await Deno.mkdir(folder, { recursive: true });
    for (const { name, data, type } of await parseTarGzip(await request.bytes())) {
      if (type !== "file") continue;
      const file = join(folder, normalize(`/${name}`));
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeFile(file, data!);
    }
    this.#tasks.add(id);
    const { exports } = JSON.parse(await Deno.readTextFile(join(folder, config)));
    const meta = {
      manifest: await manifestOf(folder),
      exports: typeof exports === "string" ? { ".": exports } : exports,
    };
    await Deno.writeTextFile(join(folder, VERSION_META), JSON.stringify(meta));
    return Response.json({ id, status: "pending", error: null });
  }

  async #serve(path: string, pathname: string): Promise<Response> {
    const [, name, rest] = /^\/(@[^/]+\/[^/]+)\/(.+)$/.exec(path) ?? [];
    if (name === undefined || rest === undefined) return notFound();
    const folder = join(this.#folder, name);
    if (this.#upstream !== undefined && !await isFolder(folder)) {
      const { status, headers, body } = await fetch(new URL(pathname, this.#upstream));
      const type = headers.get("content-type") ?? "text/plain";
      return new Response(body, { status, headers: { "content-type": type } });
    }
    if (rest === "meta.json") return Response.json(await packageMeta(name, folder));
    const version = /^([^/]+)_meta\.json$/.exec(rest)?.[1];
    if (version !== undefined) return Response.json(await versionMeta(join(folder, version)));
    const type = TYPES[rest.split(".").at(-1)!] ?? "text/plain";
    return new Response(await Deno.readFile(join(folder, rest)), {
      headers: { "content-type": type },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await Deno.stat(path).then(({ isDirectory }) => isDirectory, () => false);
}

function notFound(): Response {
  return new Response("404 - Not Found", { status: 404 });
}

async function packageMeta(package_: string, folder: string): Promise<unknown> {
  const versions = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const [scope, name] = package_.slice(1).split("/");
  const entries = versions.map((version) => [version, {}]);
  return { scope, name, latest: versions.at(-1), versions: Object.fromEntries(entries) };
}

async function versionMeta(folder: string): Promise<unknown> {
  try {
    return JSON.parse(await Deno.readTextFile(join(folder, VERSION_META)));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const exports = JSON.parse(await Deno.readTextFile(join(folder, EXPORTS)));
    return { manifest: await manifestOf(folder), exports };
  }
}

/** The size and the checksum of each file. */
async function manifestOf(folder: string): Promise<Manifest> {
  const entries = [];
  for (const path of (await Array.fromAsync(filesBelow(folder))).sort()) {
    if (path === `/${EXPORTS}`) continue;
    const bytes = await Deno.readFile(folder + path);
    entries.push([path, { size: bytes.length, checksum: await checksumOf(bytes) }] as const);
  }
  return Object.fromEntries(entries);
}

/** The paths of all files in a folder, from the folder on. */
async function* filesBelow(folder: string, base = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder + base)) {
    if (isDirectory) yield* filesBelow(folder, `${base}/${name}`);
    else yield `${base}/${name}`;
  }
}

/** The checksum as JSR writes it: `sha256-` and the hexadecimal hash. */
async function checksumOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return `sha256-${new Uint8Array(hash).toHex()}`;
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) throw new Error("The argument FOLDER is missing");
  console.log(new Registry(folder).url);
}
