import { dirname, resolve } from "node:path";
import { fillHosts } from "../../application/hosts.ts";
import { writeFiles } from "../../bundle/archive.ts";
import { bundleFunctions } from "../../bundle/functions.ts";
import { Bundler } from "../../bundle/bundler/bundler.ts";
import type { ModuleBundle } from "../../bundle/bundler/messages.ts";
import { layerFiles } from "../../bundle/layer.ts";
import { ownArchitecture } from "../../bundle/deno_binary.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { GROUP_ID, type Isolation, USER_ID } from "../../lambda/isolation/isolation.ts";
import { makeOwnedFolder, type OwnedFolder } from "../../lambda/isolation/owned_folder.ts";
import type { Code } from "../../lambda/sandbox/sandbox.ts";

/** The options of a workshop. */
export interface WorkshopOptions {
  /** The path of the manifest. Modules are relative to it. */
  readonly manifestPath: string;
  /** The folder of the unpacked layer. The default is a new layer with the Deno that runs this program. */
  readonly layer?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bundles functions and unpacks the bundles as AWS Lambda does, in a temporary folder. */
export class Workshop implements AsyncDisposable {
  readonly #owned: OwnedFolder;
  readonly #folder: string;
  readonly #isolation: Isolation;
  readonly #options: WorkshopOptions;
  readonly #versions = new Map<string, Version>();
  readonly #bundles = new Map<string, Promise<ModuleBundle>>();
  #bundler: Promise<Bundler> | undefined;
  #layer: { readonly layer: string; readonly deno?: string } = { layer: "" };
  #count = 0;
  /** The folders outside of the manifest's folder from which the functions import files. */
  readonly foldersElsewhere: Set<string> = new Set();

  private constructor(owned: OwnedFolder, isolation: Isolation, options: WorkshopOptions) {
    this.#owned = owned;
    this.#folder = owned.path;
    this.#isolation = isolation;
    this.#options = options;
  }

  /** Makes the folder and the layer. */
  static async open(isolation: Isolation, options: WorkshopOptions): Promise<Workshop> {
    // /tmp does not fit: it may be in memory, and functions in plain folders may write to it.
    const folder = await makeOwnedFolder("/var/tmp");
    const workshop = new Workshop(folder, isolation, options);
    try {
      await Deno.chmod(folder.path, 0o755); // Functions run as another user.
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
      await Deno.writeFile(`${layer}/bin/deno`, new Uint8Array()); // The isolation mounts Deno here.
      return { layer, deno };
    }
    // The functions of root run as another user, who may have no access to the folder of Deno.
    const place = Deno.uid() === 0 ? Deno.copyFile : Deno.symlink;
    await place(deno, `${layer}/bin/deno`);
    return { layer };
  }

  /** Builds the functions whose code or settings have changed. */
  async build(manifest: Manifest, isCodeNew: boolean) {
    if (isCodeNew) this.#bundles.clear();
    const built = new Map<string, Code>();
    const { manifestPath, signal } = this.#options;
    const options = { bundles: this.#bundles, bundler: await this.#openBundler(), signal };
    const { functions, problems } = await bundleFunctions(
      manifestPath,
      fillHosts(manifest),
      options,
    );
    for (const [name, files] of functions) {
      const settings = manifest.functions[name]!;
      const bundle = await this.#bundles.get(resolve(dirname(manifestPath), settings.module))!;
      for (const folder of bundle.foldersElsewhere) this.foldersElsewhere.add(folder);
      const version: Version = { bundle, settings: JSON.stringify(settings) };
      if (areEqual(this.#versions.get(name), version)) continue;
      const task = `${this.#folder}/${name}-${++this.#count}`;
      await writeFiles(task, files);
      const cache = await this.#makeCache(task);
      this.#versions.set(name, version);
      built.set(name, { manifest: settings, folders: { ...this.#layer, task, cache } });
    }
    return { built, faults: problems };
  }

  /** Returns the bundler, or a new one if the configuration of the application has changed. */
  async #openBundler(): Promise<Bundler> {
    const former = await this.#bundler?.catch(() => undefined);
    if (former !== undefined && await former.isCurrent()) return former;
    const { manifestPath, signal } = this.#options;
    this.#bundler = Bundler.open({ folder: dirname(resolve(manifestPath)), signal });
    await former?.[Symbol.asyncDispose]();
    return await this.#bundler;
  }

  /** Makes a folder for compiled code. In plain folders, every function could change compiled code in /tmp. */
  async #makeCache(task: string): Promise<string | undefined> {
    if (this.#isolation.kind !== "plain folders") return undefined;
    const cache = `${task}-cache`;
    await Deno.mkdir(cache, { mode: 0o700 });
    if (Deno.uid() === 0) await Deno.chown(cache, USER_ID, GROUP_ID);
    return cache;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const bundler = await this.#bundler?.catch(() => undefined);
    await bundler?.[Symbol.asyncDispose]();
    await this.#owned[Symbol.asyncDispose]();
  }
}

/** What a function was built from. */
interface Version {
  readonly bundle: ModuleBundle;
  /** The settings as JSON. */
  readonly settings: string;
}

function areEqual(former: Version | undefined, { bundle, settings }: Version): boolean {
  return former?.settings === settings &&
    former.bundle.code === bundle.code && former.bundle.map === bundle.map;
}
