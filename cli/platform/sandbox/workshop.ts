import { type ArchiveFile, writeFiles } from "../../bundle/archive.ts";
import { bundleFunctions, type FunctionProblem } from "../../bundle/functions.ts";
import { layerFiles } from "../../bundle/layer_files.ts";
import { ownArchitecture } from "../../bundle/pinned_deno.ts";
import type { Isolation } from "../isolation/isolation.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { Code } from "./function_pool.ts";

/** What was built: the code that is new, and what could not be built. */
export interface Built {
  /** The code by the function's name, where it is not what it was. */
  readonly built: ReadonlyMap<string, Code>;
  /** What could not be built. */
  readonly problems: readonly FunctionProblem[];
}

/** Unpacks bundles as they are in the cloud, in a folder of its own. */
export class Workshop implements AsyncDisposable {
  readonly #folder: string;
  readonly #manifestPath: string;
  readonly #layer: { readonly layer: string; readonly deno?: string };
  readonly #signal: AbortSignal | undefined;
  readonly #identities = new Map<string, string>();
  #count = 0;

  private constructor(
    folder: string,
    manifestPath: string,
    layer: { readonly layer: string; readonly deno?: string },
    signal: AbortSignal | undefined,
  ) {
    this.#folder = folder;
    this.#manifestPath = manifestPath;
    this.#layer = layer;
    this.#signal = signal;
  }

  /**
   * Makes the folder and the layer in it.
   *
   * @param manifestPath The path of the manifest.
   * @param isolation How functions will find the layer.
   * @param options An unpacked layer to be used, without which one is made with the Deno that runs this; and what ends
   * bundling early.
   * @returns The workshop.
   */
  static async open(
    manifestPath: string,
    isolation: Isolation,
    { layer, signal }: {
      readonly layer?: string | undefined;
      readonly signal?: AbortSignal | undefined;
    } = {},
  ): Promise<Workshop> {
    const folder = await Deno.makeTempDir({ prefix: "mate-" });
    try {
      await Deno.chmod(folder, 0o755); // functions run as another user
      if (layer !== undefined) return new Workshop(folder, manifestPath, { layer }, signal);
      const made = `${folder}/layer`;
      const deno = Deno.execPath();
      await writeFiles(made, await layerFiles(ownArchitecture() ?? "x86_64", signal));
      await Deno.mkdir(`${made}/bin`);
      if (isolation.kind === "plain folders") {
        // Functions of root run as another user, who may not get at the folder that Deno is in.
        const place = Deno.uid() === 0 ? Deno.copyFile : Deno.symlink;
        await place(deno, `${made}/bin/deno`);
        return new Workshop(folder, manifestPath, { layer: made }, signal);
      }
      await Deno.writeFile(`${made}/bin/deno`, new Uint8Array()); // the place to mount it at
      return new Workshop(folder, manifestPath, { layer: made, deno }, signal);
    } catch (error) {
      await Deno.remove(folder, { recursive: true });
      throw error;
    }
  }

  /**
   * Bundles every function.
   *
   * @param manifest The application.
   * @returns What was built.
   */
  async build(manifest: Manifest): Promise<Built> {
    const built = new Map<string, Code>();
    const signal = this.#signal;
    const { functions, problems } = await bundleFunctions(this.#manifestPath, manifest, { signal });
    for (const [name, files] of functions) {
      const settings = manifest.functions[name]!;
      const identity = await identify(files, settings);
      if (this.#identities.get(name) === identity) continue;
      const task = `${this.#folder}/${name}-${++this.#count}`;
      await writeFiles(task, files);
      this.#identities.set(name, identity);
      built.set(name, { manifest: settings, folders: { ...this.#layer, task } });
    }
    return { built, problems };
  }

  /** Removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#folder, { recursive: true });
  }
}

/** What tells one build of a function from another. */
async function identify(files: readonly ArchiveFile[], settings: unknown): Promise<string> {
  const parts = files.flatMap(({ path, data }) => [`${path}\n`, data as Uint8Array<ArrayBuffer>]);
  const bytes = await new Blob([JSON.stringify(settings), ...parts]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64();
}
