/**
 * A registry on the loopback interface that speaks as JSR and as npm do. It serves packages of JSR, takes those that
 * `deno publish` uploads, and serves packed packages of npm. As a program, it serves a folder with packages of JSR and
 * prints its URL: `deno run -A scripts/packages/registry.ts FOLDER`.
 *
 * The API is that of https://jsr.io/docs/api and of `deno publish`.
 *
 * @module
 */
import { parseTarGzip } from "nanotar";
import { readdirSync } from "node:fs";
import { serve } from "../../cli/testdata/bundle.ts";
import { succeed } from "../../testdata/programs.ts";

/** The exports that packages in a folder have beside their files. */
const EXPORTS = "/.exports.json";

const TYPES: Readonly<Record<string, string>> = {
  ts: "text/typescript",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  wasm: "application/wasm",
};

type Bytes = Uint8Array<ArrayBuffer>;

/** A registry for one program or test. */
export class Registry implements AsyncDisposable {
  /** Everything that is published, by its path. */
  readonly files = new Map<string, Bytes>();
  /** The versions of each package of JSR. */
  readonly #versions = new Map<string, string[]>();
  readonly #server = serve((request) => this.#answer(request));

  private constructor(readonly upstream?: string) {}

  /**
   * Starts a registry.
   *
   * @param folder Packages of JSR as `@scope/name/version/`.
   * @param upstream The registry that has the packages that this one lacks.
   */
  static async open(folder?: string, upstream?: string): Promise<Registry> {
    const registry = new Registry(upstream);
    const packages = new Map<string, Map<string, Bytes>>();
    const paths = folder === undefined ? [] : readdirSync(folder, { recursive: true });
    for (const path of paths as string[]) {
      const [, version, name] = /^(@[^/]+\/[^/]+\/[^/]+)(\/.+)$/.exec(path) ?? [];
      const isOwn = version?.startsWith("@mate/"); // these packages come from the checkout
      if (version === undefined || isOwn || !(await Deno.stat(`${folder}/${path}`)).isFile) {
        continue;
      }
      if (!packages.has(version)) packages.set(version, new Map());
      packages.get(version)!.set(name!, await Deno.readFile(`${folder}/${path}`));
    }
    for (const [version, files] of packages) {
      const exports = jsonOf(files.get(EXPORTS)!);
      files.delete(EXPORTS);
      await registry.#publish(version, files, exports);
    }
    return registry;
  }

  get url(): string {
    return `${this.#server.url}/`;
  }

  /** Packs the npm package of a folder, as `npm publish` does, and serves it. Returns the tarball, its size and its files. */
  async pack(source: URL, target: string) {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", target];
    const [{ filename, integrity, size, files }] = JSON.parse(
      await succeed("npm", [...args, source.pathname]),
    );
    const tarball = `${target}/${filename}`;
    const metadata = jsonOf(await Deno.readFile(new URL("package.json", source)));
    const { name, version } = metadata;
    const dist = { tarball: this.url + filename, integrity };
    const versions = { [version]: { ...metadata, dist } };
    this.files.set(`/${name}`, bytesOf({ name, "dist-tags": { latest: version }, versions }));
    this.files.set(`/${filename}`, await Deno.readFile(tarball));
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    return { tarball, size: Number(size), paths };
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const path = decodeURIComponent(pathname);
    const file = this.files.get(path);
    if (file !== undefined) {
      const type = TYPES[path.split(".").at(-1)!] ?? "text/plain";
      return new Response(file, { headers: { "content-type": type } });
    }
    const [, scope, name, version] =
      /^\/api\/scopes\/([^/]+)\/packages\/([^/]+)(?:\/versions\/([^/]+))?$/.exec(path) ?? [];
    if (scope !== undefined) {
      const package_ = `@${scope}/${name}`;
      if (request.method === "POST") return await this.#take(`${package_}/${version}`, request);
      // Every package may be published, so every package exists. A version exists if it was published.
      const exists = version === undefined || this.#versions.get(package_)?.includes(version);
      return exists ? Response.json({ scope, name, version }) : notFound();
    }
    const id = /^\/api\/publish_status\/([^/]+)$/.exec(path)?.[1];
    // Each upload is published at once, because `deno publish` has checked the package.
    if (id !== undefined) return Response.json({ id, status: "success", error: null });
    const package_ = /^\/(@[^/]+\/[^/]+)\//.exec(path)?.[1];
    const isOther = package_ !== undefined && !this.#versions.has(package_);
    if (this.upstream === undefined || !isOther) return notFound();
    const { status, headers, body } = await fetch(new URL(pathname, this.upstream));
    const type = headers.get("content-type") ?? "text/plain";
    return new Response(body, { status, headers: { "content-type": type } });
  }

  /** Takes what `deno publish` uploads. */
  async #take(version: string, request: Request): Promise<Response> {
    const files = new Map<string, Bytes>();
    for (const { name, data, type } of await parseTarGzip(await request.bytes())) {
      if (type === "file") files.set(`/${name.replace(/^\.?\//, "")}`, new Uint8Array(data!));
    }
    const config = new URL(request.url).searchParams.get("config")!;
    const { exports } = jsonOf(files.get(config)!);
    await this.#publish(version, files, typeof exports === "string" ? { ".": exports } : exports);
    return Response.json({ id: crypto.randomUUID(), status: "pending", error: null });
  }

  /** Publishes a version of a package, such as `@scope/name/1.2.3`. */
  async #publish(path: string, files: ReadonlyMap<string, Bytes>, exports: unknown): Promise<void> {
    const [scope, name, version] = path.split("/") as [string, string, string];
    const manifest: Record<string, { size: number; checksum: string }> = {};
    for (const [file, bytes] of [...files].sort()) {
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      manifest[file] = { size: bytes.length, checksum: `sha256-${hash.toHex()}` };
      this.files.set(`/${path}${file}`, bytes);
    }
    this.files.set(`/${path}_meta.json`, bytesOf({ manifest, exports }));
    const versions = [...this.#versions.get(`${scope}/${name}`) ?? [], version]
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    this.#versions.set(`${scope}/${name}`, versions);
    const meta = {
      scope: scope.slice(1),
      name,
      latest: versions.at(-1),
      versions: Object.fromEntries(versions.map((version) => [version, {}])),
    };
    this.files.set(`/${scope}/${name}/meta.json`, bytesOf(meta));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

function notFound(): Response {
  return new Response("404 - Not Found", { status: 404 });
}

function bytesOf(value: unknown): Bytes {
  return new TextEncoder().encode(JSON.stringify(value));
}

function jsonOf(bytes: Bytes) {
  return JSON.parse(new TextDecoder().decode(bytes));
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) throw new Error("The argument FOLDER is missing");
  console.log((await Registry.open(folder)).url);
}
