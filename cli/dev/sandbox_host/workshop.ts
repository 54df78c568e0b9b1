import { Buffer } from "node:buffer";
import { dirname, resolve } from "node:path";
import { Kept } from "../../programs/kept.ts";
import { missingUses } from "../../application/code.ts";
import type { Application, ApplicationFunction } from "../../application/types.ts";
import { type ArchiveFile, writeFiles } from "../../archives/archive.ts";
import { bundleFunctions } from "../../bundle/functions.ts";
import { Bundles } from "../../bundle/modules/bundles.ts";
import type { LogRecord } from "../../lambda/function_host.ts";
import { layerFiles } from "../../bundle/modules/own_modules.ts";
import { writeLayer } from "../../runtime/layer.ts";
import { type NodeRuntime, ownArchitecture } from "../../programs/pinned_packages.ts";
import { withMap } from "./inline_map.ts";
import { findNode, type NodeSource } from "../../programs/find_node.ts";
import { nodeRuntimeFiles } from "../../lambda/node/node_command.ts";
import {
  type Folders,
  type Isolation,
  letFunctionsIn,
  prepareRoot,
} from "../../lambda/isolation/isolation.ts";
import { GROUP_ID, USER_ID } from "../../lambda/isolation/root_folder.ts";
import { makeOwnedFolder, type OwnedFolder } from "../../lambda/isolation/owned_folder.ts";
import type { Code } from "../../lambda/sandbox/sandbox.ts";

/** The options of a workshop. */
export interface WorkshopOptions {
  /** The path of the manifest. Modules are relative to it. */
  readonly manifestPath: string;
  /** The folder of the unpacked layer. The default is a new layer with the Deno that runs this program. */
  readonly layer?: string | undefined;
  readonly log: (record: LogRecord) => void;
  /** The bundles of the folder of the manifest; by default new ones. */
  readonly bundles?: Bundles | undefined;
  /** Where Node.js comes from. */
  readonly source?: NodeSource | undefined;
  /** The function that debuggers inspect. */
  readonly inspect?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Bundles functions and unpacks the bundles as AWS Lambda does, in a temporary folder. */
export class Workshop implements AsyncDisposable {
  readonly #owned: OwnedFolder;
  readonly #isolation: Promise<Isolation>;
  readonly #options: WorkshopOptions;
  readonly #versions = new Map<string, Version>();
  /** The functions that contain this library's module for gateways. */
  readonly libraries = new Set<string>();
  /** The warnings about bundles that the log has already. */
  readonly #warnings = new Set<string>();
  readonly #kept: Kept;
  readonly #bundles: Bundles;
  /** The folders of the runtimes that functions have needed. */
  readonly #runtimes = new Map<Runtime, Promise<RuntimeFolders>>();
  #root: Promise<void> | undefined;
  #count = 0;
  #isDisposed = false;
  /** The folders outside of the manifest's folder from which the functions import files. */
  readonly foldersElsewhere: Set<string> = new Set();

  private constructor(owned: OwnedFolder, isolation: Promise<Isolation>, options: WorkshopOptions) {
    this.#owned = owned;
    this.#isolation = isolation;
    this.#options = options;
    const { manifestPath, signal } = options;
    const warn = (text: string) => this.#log("", text);
    this.#kept = new Kept(warn);
    const folder = dirname(resolve(manifestPath));
    this.#bundles = options.bundles ?? new Bundles({ folder, kept: this.#kept, signal, warn });
  }

  /** Makes the folder. */
  static async open(isolation: Promise<Isolation>, options: WorkshopOptions): Promise<Workshop> {
    // /tmp does not fit: it may be in memory, and functions in plain folders may write to it.
    await using stack = new AsyncDisposableStack();
    const owned = stack.use(await makeOwnedFolder("/var/tmp"));
    await letFunctionsIn(owned.path);
    stack.move();
    return new Workshop(owned, isolation, options);
  }

  #log(functionName: string, text: string): void {
    this.#options.log({ time: new Date(), functionName, text });
  }

  async #isPlain(): Promise<boolean> {
    return (await this.#isolation).kind === "plain folders";
  }

  /** Makes the folders of a runtime once. */
  #foldersOf(runtime: Runtime): Promise<RuntimeFolders> {
    const known = this.#runtimes.get(runtime);
    if (known !== undefined) return known;
    const made = runtime === "deno" ? this.#makeLayer() : this.#makeNode(runtime);
    this.#runtimes.set(runtime, made);
    made.catch(() => this.#runtimes.delete(runtime)); // The network may be there the next time.
    return made;
  }

  /** Makes the folder with AWS's client of the Runtime API. */
  async #makeNode(runtime: NodeRuntime): Promise<RuntimeFolders> {
    const files = await findNode(runtime, {
      signal: this.#options.signal,
      ...this.#options.source,
    });
    const folder = `${this.#owned.path}/${runtime}`;
    await writeFiles(folder, await nodeRuntimeFiles(runtime, files.client));
    if (!await this.#isPlain() || Deno.uid() !== 0) {
      return { node: { program: files.program, runtime: folder } };
    }
    // The functions of root run as another user, who may have no access to the folder of Node.js.
    await Deno.copyFile(files.program, `${folder}/node`);
    return { node: { program: `${folder}/node`, runtime: folder } };
  }

  async #makeLayer(): Promise<RuntimeFolders> {
    if (this.#options.layer !== undefined) return { layer: this.#options.layer };
    const layer = `${this.#owned.path}/layer`;
    const deno = Deno.execPath();
    const options = { kept: this.#kept, signal: this.#options.signal };
    const files = await layerFiles(ownArchitecture() ?? "x86_64", options);
    const isPlain = await this.#isPlain();
    await writeLayer(layer, files, isPlain ? deno : undefined);
    return isPlain ? { layer } : { layer, deno };
  }

  /** Begins to make the folders that the first build needs. */
  prepare({ functions }: Application): void {
    for (const { runtime } of Object.values(functions)) {
      this.#foldersOf(runtime).catch(() => {}); // The first build gets the error.
    }
    this.#root = prepareRoot(this.#owned.path);
    this.#root.catch(() => {}); // The first sandbox gets the error.
  }

  /**
   * Builds those of the named functions whose code or settings have changed.
   *
   * @returns What was built, in a part for each runtime, which may have to be downloaded first.
   */
  async build(application: Application, names: readonly string[]) {
    // The folders of the runtimes are made while the functions are bundled.
    for (const name of names) {
      this.#foldersOf(application.functions[name]!.runtime).catch(() => {}); // The function below gets the error.
    }
    const { manifestPath } = this.#options;
    const written = new Map<string, { readonly version: Version; readonly code: OwnCode }>();
    const { functions, bundles, problems } = await bundleFunctions(
      manifestPath,
      application,
      {
        names,
        bundles: this.#bundles,
        readsSecrets: false,
        warn: (text) => {
          // Every change of any function would repeat it.
          if (!this.#warnings.has(text)) this.#log("", `WARN ${text}`);
          this.#warnings.add(text);
        },
      },
    );
    for (const name of this.#versions.keys()) {
      if (!(name in application.functions)) this.#versions.delete(name);
    }
    for (const [name, files] of functions) {
      const settings = application.functions[name]!;
      const bundle = bundles.get(name)!;
      for (const folder of bundle.foldersElsewhere) this.foldersElsewhere.add(folder);
      const { format: logFormat } = application.settings.logs;
      const version: Version = { files, settings: JSON.stringify([logFormat, settings]) };
      if (areEqual(this.#versions.get(name), version)) continue;
      const task = `${this.#owned.path}/${name}-${++this.#count}`;
      await writeFiles(
        task,
        name === this.#options.inspect
          ? await withMap(files, dirname(resolve(manifestPath)), new Set(bundle.modules))
          : files,
      );
      const cache = await this.#makeCache(task);
      if (bundle.code.includes("@mate/core/gateway/")) this.libraries.add(name);
      else this.libraries.delete(name);
      for (const text of missingUses(application, name, bundle.code)) {
        this.#log(name, `WARN ${text}`);
      }
      const folders = { task, cache };
      const remove = async () => {
        if (this.#isDisposed) return;
        for (const path of [task, ...cache === undefined ? [] : [cache]]) {
          await Deno.remove(path, { recursive: true });
        }
      };
      written.set(name, { version, code: { settings, logFormat, folders, remove } });
    }
    const byRuntime = Map.groupBy(written, ([, { code }]) => code.settings.runtime);
    const parts = [...byRuntime].map(([runtime, own]): Part => ({
      names: own.map(([name]) => name),
      codes: this.#foldersOf(runtime).then((folders) =>
        new Map(own.map(([name, { version, code }]) => {
          this.#versions.set(name, version);
          return [name, { ...code, folders: { ...folders, ...code.folders } }];
        }))
      ),
    }));
    return { parts, faults: problems };
  }

  /** Makes a folder for compiled code. In plain folders, every function could change compiled code in /tmp. */
  async #makeCache(task: string): Promise<string | undefined> {
    if (!await this.#isPlain()) return undefined;
    const cache = `${task}-cache`;
    await Deno.mkdir(cache, { mode: 0o700 });
    if (Deno.uid() === 0) await Deno.chown(cache, USER_ID, GROUP_ID);
    return cache;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true; // All folders are removed together.
    if (this.#options.bundles === undefined) await this.#bundles[Symbol.asyncDispose]();
    const folders = [this.#root, ...this.#runtimes.values()];
    await Promise.allSettled(folders); // The builds have reported the errors.
    await this.#owned[Symbol.asyncDispose]();
  }
}

type Runtime = ApplicationFunction["runtime"];

/** Functions of one runtime, and their code as soon as the runtime is there. */
export interface Part {
  readonly names: readonly string[];
  readonly codes: Promise<ReadonlyMap<string, Code>>;
}

/** The code of a function without its runtime. */
type OwnCode = Omit<Code, "folders"> & { readonly folders: Pick<Folders, "task" | "cache"> };

/** The folders of a runtime. */
type RuntimeFolders = Pick<Folders, "layer" | "deno" | "node">;

/** What a function was built from. */
interface Version {
  readonly files: readonly ArchiveFile[];
  /** The format of the log and the settings, as JSON. */
  readonly settings: string;
}

function areEqual(former: Version | undefined, { files, settings }: Version): boolean {
  return former?.settings === settings && former.files.length === files.length &&
    files.every(({ path, data }, index) => {
      const { path: formerPath, data: formerData } = former.files[index]!;
      return path === formerPath && (data === formerData || Buffer.compare(data, formerData) === 0);
    });
}
