import { type ArchiveFile, writeFiles } from "../../bundle/archive.ts";
import { bundleFunctions } from "../../bundle/functions.ts";
import { layerFiles } from "../../bundle/layer.ts";
import { ownArchitecture } from "../../bundle/deno_binary.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { Isolation } from "../isolation/isolation.ts";
import { GROUP_ID, USER_ID } from "../isolation/tmp_folder.ts";
import type { Code } from "./sandbox.ts";

/** How a workshop bundles functions. */
export interface WorkshopOptions {
  /** The path of the manifest. Modules are relative to it. */
  readonly manifestPath: string;
  /** An unpacked layer. The default is a new one with the Deno that runs this. */
  readonly layer?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Unpacks bundles as they are in the cloud, in a folder of its own. */
export class Workshop implements AsyncDisposable {
  readonly #folder: string;
  readonly #isolation: Isolation;
  readonly #options: WorkshopOptions;
  readonly #identities = new Map<string, string>();
  #layer: { readonly layer: string; readonly deno?: string } = { layer: "" };
  #count = 0;

  private constructor(folder: string, isolation: Isolation, options: WorkshopOptions) {
    this.#folder = folder;
    this.#isolation = isolation;
    this.#options = options;
  }

  /** Makes the folder and the layer in it. */
  static async open(isolation: Isolation, options: WorkshopOptions): Promise<Workshop> {
    // Not in /tmp: it may be in memory, and functions in plain folders may write to all of it.
    const folder = await Deno.makeTempDir({ prefix: `mate-${Deno.pid}-`, dir: "/var/tmp" });
    const workshop = new Workshop(folder, isolation, options);
    try {
      await Deno.chmod(folder, 0o755); // functions run as another user
      workshop.#layer = options.layer === undefined
        ? await workshop.#makeLayer()
        : { layer: options.layer };
      return workshop;
    } catch (error) {
      await workshop[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #makeLayer(): Promise<{ readonly layer: string; readonly deno?: string }> {
    const layer = `${this.#folder}/layer`;
    const deno = Deno.execPath();
    await writeFiles(layer, await layerFiles(ownArchitecture() ?? "x86_64", this.#options.signal));
    await Deno.mkdir(`${layer}/bin`);
    if (this.#isolation.kind !== "plain folders") {
      await Deno.writeFile(`${layer}/bin/deno`, new Uint8Array()); // the place to mount it at
      return { layer, deno };
    }
    // Functions of root run as another user, who may not have access to the folder that Deno is in.
    const place = Deno.uid() === 0 ? Deno.copyFile : Deno.symlink;
    await place(deno, `${layer}/bin/deno`);
    return { layer };
  }

  async build(manifest: Manifest) {
    const built = new Map<string, Code>();
    const { manifestPath, signal } = this.#options;
    const { functions, problems } = await bundleFunctions(manifestPath, manifest, { signal });
    for (const [name, files] of functions) {
      const settings = manifest.functions[name]!;
      const identity = await identify(files, settings);
      if (this.#identities.get(name) === identity) continue;
      const task = `${this.#folder}/${name}-${++this.#count}`;
      await writeFiles(task, files);
      const cache = await this.#makeCache(task);
      this.#identities.set(name, identity);
      built.set(name, { manifest: settings, folders: { ...this.#layer, task, cache } });
    }
    return { built, faults: problems };
  }

  /** A folder for what Deno compiles of a function. In /tmp, other functions in plain folders could change it. */
  async #makeCache(task: string): Promise<string | undefined> {
    if (this.#isolation.kind !== "plain folders") return undefined;
    const cache = `${task}-cache`;
    await Deno.mkdir(cache, { mode: 0o700 });
    if (Deno.uid() === 0) await Deno.chown(cache, USER_ID, GROUP_ID);
    return cache;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** Tells one build of a function from another. */
async function identify(files: readonly ArchiveFile[], settings: unknown): Promise<string> {
  const parts = files.flatMap(({ path, data }) => [`${path}\n`, data as Uint8Array<ArrayBuffer>]);
  const bytes = await new Blob([JSON.stringify(settings), ...parts]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64();
}
