import { basename } from "node:path";
import { serve } from "../../../cli/testdata/bundle.ts";
import { succeed } from "../../../testdata/programs.ts";

/** An npm registry on the loopback interface that holds a few packages. */
export class NpmRegistry implements AsyncDisposable {
  readonly #server = serve((request) => this.#answer(request));
  readonly #documents = new Map<string, unknown>();

  /** Serves the tarballs of a folder. */
  constructor(readonly folder: string) {}

  get url(): string {
    return `${this.#server.url}/`;
  }

  /** Packs the package in a folder, as `npm publish` does, and serves it. Returns the path of the tarball. */
  async add(source: URL): Promise<string> {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", this.folder];
    const [{ filename, integrity }] = JSON.parse(await succeed("npm", [...args, source.pathname]));
    const metadata = JSON.parse(await Deno.readTextFile(new URL("package.json", source)));
    const { name, version } = metadata;
    const dist = { tarball: this.url + filename, integrity };
    this.#documents.set(name, {
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...metadata, dist } },
    });
    return `${this.folder}/${filename}`;
  }

  async #answer(request: Request): Promise<Response> {
    const path = decodeURIComponent(new URL(request.url).pathname).slice(1);
    const document = this.#documents.get(path);
    if (document !== undefined) return Response.json(document);
    try {
      return new Response(await Deno.readFile(`${this.folder}/${basename(path)}`));
    } catch {
      return new Response("not found", { status: 404 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
