import { findApplication, readConfiguration } from "../bundler/application_folders.ts";
import { Bundler, type CopiedPackages, realPath } from "../bundler/bundler.ts";
import type { CopyRequest, Inputs, ModuleBundle, Target } from "../packages/messages.ts";
import { type Kept, keyOf } from "../../programs/kept.ts";
import { CHILD_VARIABLES } from "../../programs/find_program.ts";
import { FileStates, identifyTool } from "./made_of.ts";

/** How the modules of an application are bundled. */
export interface BundlesOptions {
  /** The folder of the application, with its `deno.json` or `package.json`. Without a folder, no local file is bundled. */
  readonly folder: string | undefined;
  /** The host of remote modules that may be imported, beside those that Deno allows. */
  readonly host?: string | undefined;
  /** Whether names and white space are shortened. */
  readonly isMinified?: boolean | undefined;
  /** The results of earlier runs. Without them, every module is bundled. */
  readonly kept?: Kept | undefined;
  /** Identifies the tool; by default this one. */
  readonly tool?: string | undefined;
  /** Is called when the bundler begins with a module, because no earlier bundle of it is kept. */
  readonly onBundling?: (() => void) | undefined;
  /** Takes a warning. */
  readonly warn?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The time without a new bundle after which the last ones are kept, in milliseconds. */
const QUIET = 2_000;

/** The number of lists of inputs that are kept for a module: one for each branch, for example. */
const LISTS = 4;

/** A bundle of this run. */
interface Made {
  readonly bundle: ModuleBundle;
  /** The state of what it was made of. */
  readonly stamps: readonly string[];
}

/** A module, and what its bundle runs on. */
export interface Wanted {
  readonly path: string;
  readonly target: Target;
}

const idOf = ({ path, target }: Wanted) => `${target} ${path}`;

/** The bundles of the modules of one application. A module is bundled only if something that its bundle is made of has changed. */
export class Bundles implements AsyncDisposable {
  readonly #options: BundlesOptions;
  readonly #made = new Map<string, Made>();
  /** The bundles that are not kept yet, with the time at which they were begun. */
  readonly #unkept = new Map<
    string,
    { readonly bundle: ModuleBundle; readonly begin: number; readonly wanted: Wanted }
  >();
  #bundler: Promise<Bundler> | undefined;
  /** The first bundle, if it was begun early. */
  #beginning = Promise.resolve();
  #configuration = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keeping = Promise.resolve();

  constructor(options: BundlesOptions) {
    this.#options = options;
  }

  /**
   * Returns the bundles of modules, in the same order. It is the same object as the last time if nothing has changed. A module
   * that cannot be bundled gets an error.
   *
   * @param target What the bundles run on.
   */
  async take(
    paths: readonly string[],
    target: Target = "deno",
  ): Promise<(ModuleBundle | Error)[]> {
    await this.#beginning;
    return await this.#take(paths, target);
  }

  async #take(paths: readonly string[], target: Target): Promise<(ModuleBundle | Error)[]> {
    await this.#readConfiguration();
    const states = new FileStates();
    const found = new Map<string, ModuleBundle | Error>();
    for (const path of new Set(paths)) {
      const made = this.#made.get(idOf({ path, target }));
      const bundle = made === undefined
        ? await this.#find({ path, target }, states)
        : areEqual(states.stampsOf(made.bundle.inputs!), made.stamps)
        ? made.bundle
        : undefined;
      if (bundle !== undefined) found.set(path, bundle);
    }
    const missing = [...new Set(paths)].filter((path) => !found.has(path));
    if (missing.length > 0) {
      const results = await this.#bundle(missing, target);
      missing.forEach((path, index) => found.set(path, results[index]!));
    }
    return paths.map((path) => found.get(path)!);
  }

  /**
   * Begins to bundle the first module that will be needed. If no module was ever bundled, waits until the bundler has started. A
   * later {@linkcode take} waits for the bundle, and gets the errors.
   *
   * @param modules All modules of the application.
   */
  async begin(modules: readonly Wanted[], first: Wanted | undefined): Promise<void> {
    await this.#readConfiguration();
    const recipes = modules.map((wanted) => this.#recipeOf(wanted));
    const lists = await Promise.all(recipes.map((recipe) => recipe ? this.#listsOf(recipe) : []));
    if (lists.every((list) => list.length === 0)) {
      this.#bundler = this.#startBundler();
      await this.#bundler.catch(() => {});
    }
    if (first === undefined) return;
    this.#beginning = this.#take([first.path], first.target).then(() => {}, () => {});
  }

  /** Copies native packages, as {@linkcode Bundler.copy} does. */
  async copy(request: CopyRequest): Promise<CopiedPackages> {
    return await (await this.#openBundler()).copy(request);
  }

  /** Forgets what was found before, if the configuration of the application has changed. */
  async #readConfiguration(): Promise<void> {
    const folder = this.#options.folder && await realPath(this.#options.folder);
    const configuration = folder === undefined ? [] : [...await readConfiguration(folder)];
    const application = folder === undefined ? undefined : await findApplication(folder);
    const text = JSON.stringify([configuration, application]);
    if (text === this.#configuration) return;
    this.#configuration = text;
    this.#made.clear();
    this.#unkept.clear();
    for (const path of application?.linked ?? []) {
      if (!named.has(path)) {
        this.#options.warn?.(`"links" of deno.json adds the folder "${path}" to the application`);
      }
      named.add(path);
    }
  }

  /** Finds the bundle of an earlier run. */
  async #find(wanted: Wanted, states: FileStates): Promise<ModuleBundle | undefined> {
    const recipe = this.#recipeOf(wanted);
    for (const inputs of recipe ? await this.#listsOf(recipe) : []) {
      const content = unlessForbidden(() => states.contentOf(inputs));
      const parts = content && await this.#options.kept!.get("bundle", keyOf(recipe, content));
      if (!parts) continue;
      const bundle: ModuleBundle = {
        ...jsonOf(parts.get("facts")),
        code: new TextDecoder().decode(parts.get("code")),
        map: new TextDecoder().decode(parts.get("map")),
        inputs,
      };
      this.#made.set(idOf(wanted), { bundle, stamps: states.stampsOf(inputs) });
      return bundle;
    }
    return undefined;
  }

  /** The inputs of the last bundles of a module, the latest first. */
  async #listsOf(recipe: string): Promise<readonly Inputs[]> {
    const parts = await this.#options.kept!.get("inputs", recipe);
    return parts === undefined ? [] : jsonOf(parts.get("inputs"));
  }

  async #bundle(paths: readonly string[], target: Target): Promise<(ModuleBundle | Error)[]> {
    const { isMinified, onBundling } = this.#options;
    const bundler = await this.#openBundler();
    onBundling?.();
    const begin = Date.now();
    const results = await bundler.bundleAll(paths, { target, isMinified }).catch((error) => {
      if (this.#options.signal?.aborted) throw error;
      return paths.map(() => error as Error); // The process has ended.
    });
    const states = new FileStates();
    for (const [index, path] of paths.entries()) {
      const bundle = results[index]!;
      const id = idOf({ path, target });
      this.#made.delete(id);
      if (bundle instanceof Error || bundle.inputs === undefined) continue;
      // A file that has changed meanwhile may be newer than the bundle. A deployment may not read some files.
      if (!unlessForbidden(() => states.areOlder(bundle.inputs!, begin))) continue;
      this.#made.set(id, { bundle, stamps: states.stampsOf(bundle.inputs) });
      this.#unkept.set(id, { bundle, begin, wanted: { path, target } });
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keepAll(), QUIET);
    return results;
  }

  /** Returns the bundler, or a new one if the configuration of the application has changed. */
  async #openBundler(): Promise<Bundler> {
    const former = await this.#bundler?.catch(() => undefined);
    if (former !== undefined && await former.isCurrent()) return former;
    this.#bundler = this.#startBundler();
    await former?.[Symbol.asyncDispose]();
    return await this.#bundler;
  }

  #startBundler(): Promise<Bundler> {
    const { folder, host, signal, warn } = this.#options;
    return Bundler.open({ folder, host, signal, warn });
  }

  #keepAll(): void {
    clearTimeout(this.#timer);
    const bundles = [...this.#unkept.values()].map((made) => ({
      ...made,
      recipe: this.#recipeOf(made.wanted),
    }));
    this.#unkept.clear();
    this.#keeping = this.#keeping.then(async () => {
      const states = new FileStates();
      for (const { bundle, begin, recipe } of bundles) {
        const { code, map, inputs, ...facts } = bundle;
        const content = recipe && unlessForbidden(() => states.contentOf(inputs!));
        if (!content || !states.areOlder(inputs!, begin)) continue;
        const bytesOf = (text: string) => new TextEncoder().encode(text);
        const { kept } = this.#options;
        await kept!.put(
          "bundle",
          keyOf(recipe, content),
          new Map([
            ["code", bytesOf(code)],
            ["map", bytesOf(map)],
            ["facts", bytesOf(JSON.stringify(facts))],
          ]),
        );
        const former = (await this.#listsOf(recipe)).map((list) => JSON.stringify(list));
        const lists = [...new Set([JSON.stringify(inputs), ...former])].slice(0, LISTS);
        await kept!.put("inputs", recipe, new Map([["inputs", bytesOf(`[${lists}]`)]]));
      }
    });
  }

  /** Identifies everything that decides a bundle before its inputs are known. */
  #recipeOf({ path, target }: Wanted): string | undefined {
    const { kept, folder, host, isMinified = false } = this.#options;
    const tool = kept && (this.#options.tool ?? identifyTool());
    if (tool === undefined) return undefined;
    const environment = CHILD_VARIABLES.filter((name) => SETTINGS.test(name))
      .map((name) => Deno.env.get(name));
    return keyOf(tool, target, isMinified, path, folder, host, environment, this.#configuration);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#beginning;
    this.#keepAll();
    const bundler = await this.#bundler?.catch(() => undefined);
    await bundler?.[Symbol.asyncDispose]();
    await this.#keeping;
  }
}

/** The variables that decide which packages Deno finds. */
const SETTINGS = /^(DENO_DIR|JSR_URL|HOME|XDG_CACHE_HOME|npm_config_registry)$/i;

/** The folders outside the folder of a manifest that were named. */
const named = new Set<string>();

function jsonOf(bytes: Uint8Array | undefined) {
  return JSON.parse(new TextDecoder().decode(bytes));
}

function areEqual(some: readonly string[], others: readonly string[]): boolean {
  return some.every((text, index) => text === others[index]);
}

/** Reads files. Returns `undefined` if this process may not read one of them, as in a deployment. */
function unlessForbidden<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}
